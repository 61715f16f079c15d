#include "yoke/report/machine/hardware.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/support.h"
#include "yoke/core/files/file.h"
#include "yoke/core/version.h"
#include "yoke/report/machine/blas.h"
#include "yoke/report/machine/memory_limit.h"

namespace yoke {
namespace {

using testing::ElementsAre;

TEST(Hardware, TellsWhatThisMachineIs) {
  const Hardware found = hardware();
  EXPECT_FALSE(found.host.empty());
  EXPECT_FALSE(found.cpu.empty());
  EXPECT_GE(found.cores, 1);
  EXPECT_GE(found.host_cores, found.cores);
  EXPECT_FALSE(found.cpu_features.empty());
  EXPECT_GT(found.memory_bytes, 64 << 20);
  EXPECT_FALSE(found.operating_system.empty());
  EXPECT_THAT(found.kernel, testing::StartsWith("Linux "));
}

TEST(Hardware, IsWrittenAsJson) {
  const Hardware found = hardware();
  const nlohmann::json json = found;
  EXPECT_EQ(json.at("cpu"), found.cpu);
  EXPECT_EQ(json.at("cores"), found.cores);
  EXPECT_EQ(json.at("memory_bytes"), found.memory_bytes);
  EXPECT_EQ(json.at("cpu_features").size(), found.cpu_features.size());
  EXPECT_TRUE(json.at("gpus").is_array());
}

TEST(SpeedFeatures, PicksThoseThatMatter) {
  EXPECT_THAT(speed_features("fpu avx512_bf16 mmx avx avx2 avx512f"),
              ElementsAre("avx", "avx2", "avx512f", "avx512_bf16"));
  EXPECT_THAT(speed_features("avx512"), testing::IsEmpty());
}

TEST(Versions, NamesEveryPart) {
  const auto found = versions();
  EXPECT_EQ(found.at("yoke"), kVersion);
  for (const auto* name : {"libtorch", "compiler", "onednn", "blas", "openmp"}) {
    EXPECT_FALSE(found.at(name).empty()) << name;
  }
}

TEST(Version, IsTheOneOfTheBuild) {
  EXPECT_THAT(read_file(YOKE_SOURCE_DIR "/CMakeLists.txt"),
              testing::HasSubstr(std::string("project(yoke VERSION ") + kVersion + " "));
}

TEST(BlasName, KnowsTheLibraries) {
  const std::string folder = "/usr/lib/x86_64-linux-gnu/";
  EXPECT_EQ(blas_name(folder + "blas/libblas.so.3.11.0", false), "reference");
  EXPECT_EQ(blas_name(folder + "openblas-openmp/libblas.so.3", false), "OpenBLAS");
  EXPECT_EQ(blas_name(folder + "libopenblas.so.0", false), "OpenBLAS");
  EXPECT_EQ(blas_name(folder + "libmkl_rt.so", false), "MKL");
  EXPECT_EQ(blas_name(folder + "blis-openmp/libblas.so.3", false), "BLIS");
  EXPECT_EQ(blas_name("/opt/libtorch/lib/libtorch_cpu.so", true), "MKL");
  EXPECT_EQ(blas_name("", true), "MKL");
  EXPECT_EQ(blas_name("", false), "unknown");
}

TEST(ActiveBlas, FindsTheLibraryThisProcessUses) {
  const Blas blas = active_blas();
  EXPECT_NE(blas.name, "unknown") << blas.path;
  if (blas.name == "MKL") return;  // may have no file of its own
  EXPECT_TRUE(std::filesystem::exists(blas.path)) << blas.path;
  if (blas.name == "OpenBLAS") {
    EXPECT_NE(blas.threads, BlasThreads::kUnknown);
    EXPECT_THAT(blas.configuration, testing::HasSubstr("OpenBLAS"));
  }
}

TEST(MemoryLimit, IsTheTightestOfTheGroupAndItsParents) {
  const test::TemporaryDirectory directory;
  const auto group = directory.path() / "user" / "job";
  std::filesystem::create_directories(group);
  write_file(group / "memory.max", "max\n");
  EXPECT_EQ(memory_limit_bytes("0::/user/job\n", directory.path()), 0);
  write_file(directory.path() / "user" / "memory.max", "4096000\n");
  EXPECT_EQ(memory_limit_bytes("0::/user/job\n", directory.path()), 4096000);
  write_file(group / "memory.max", "2048000\n");
  EXPECT_EQ(memory_limit_bytes("0::/user/job\n", directory.path()), 2048000);
}

TEST(MemoryLimit, ReadsTheFirstVersionToo) {
  const test::TemporaryDirectory directory;
  std::filesystem::create_directories(directory.path() / "memory" / "job");
  const std::string groups = "5:devices:/\n4:memory:/job\n0::/\n";
  write_file(directory.path() / "memory" / "job" / "memory.limit_in_bytes",
             "9223372036854771712\n");
  EXPECT_EQ(memory_limit_bytes(groups, directory.path()), 0);
  write_file(directory.path() / "memory" / "memory.limit_in_bytes", "8192000\n");
  EXPECT_EQ(memory_limit_bytes(groups, directory.path()), 8192000);
}

}  // namespace
}  // namespace yoke
