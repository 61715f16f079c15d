#include "yoke/report/machine/machine_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "tests/support/support.h"

namespace yoke {
namespace {

using testing::HasSubstr;

TEST(CheckBlas, WarnsOfTheReferenceLibraryAndSaysWhatToInstall) {
  const auto check = check_blas({.name = "reference",
                                 .path = "/usr/lib/blas/libblas.so.3",
                                 .configuration = "",
                                 .threads = BlasThreads::kNone});
  EXPECT_EQ(check.level, CheckLevel::kWarn);
  EXPECT_THAT(check.advice, HasSubstr("apt-get install libopenblas0-openmp"));
}

TEST(CheckBlas, WarnsOfThreadsBesideLibTorchs) {
  Blas blas{.name = "OpenBLAS",
            .path = "/usr/lib/openblas-pthread/libblas.so.3",
            .configuration = "",
            .threads = BlasThreads::kOwn};
  EXPECT_EQ(check_blas(blas).level, CheckLevel::kWarn);
  blas.threads = BlasThreads::kOpenMp;
  EXPECT_EQ(check_blas(blas).level, CheckLevel::kOk);
}

TEST(CheckCores, WarnsWhenTheGroupGrantsLessThanTheMask) {
  CpuBudget budget{.host_cores = 8, .cores = {0, 1}, .quota = 0};
  EXPECT_EQ(check_cores(budget).level, CheckLevel::kOk);
  budget.quota = 1.5;
  EXPECT_EQ(check_cores(budget).level, CheckLevel::kWarn);
}

TEST(CheckMemory, LooksAtTheLimitOfTheGroupToo) {
  Hardware machine;
  machine.memory_bytes = 16'000'000'000;
  EXPECT_EQ(check_memory(machine).level, CheckLevel::kOk);
  machine.memory_limit_bytes = 500'000'000;
  EXPECT_EQ(check_memory(machine).level, CheckLevel::kWarn);
  EXPECT_THAT(check_memory(machine).detail, HasSubstr("500.0 MB"));
}

TEST(CheckCpu, WarnsWithoutVectorInstructions) {
  Hardware machine;
  machine.cpu_features = {"sse4_2"};
  EXPECT_EQ(check_cpu(machine).level, CheckLevel::kWarn);
  machine.cpu_features = {"sse4_2", "avx2"};
  EXPECT_EQ(check_cpu(machine).level, CheckLevel::kOk);
}

TEST(CheckGpus, WarnsWhenLibTorchCannotUseThem) {
  Hardware machine;
  EXPECT_EQ(check_gpus(machine, 0).level, CheckLevel::kOk);
  EXPECT_THAT(check_gpus(machine, 0).detail, HasSubstr("none"));
  machine.gpus = {"A, 8.0 GB"};
  machine.gpu_driver = "550.1";
  EXPECT_EQ(check_gpus(machine, 1).level, CheckLevel::kOk);
  EXPECT_EQ(check_gpus(machine, 1).detail, "1 here (A, 8.0 GB; driver 550.1), 1 usable");
  EXPECT_EQ(check_gpus(machine, 0).level, CheckLevel::kWarn);
}

TEST(CheckLibtorch, TellsOfCudaAndNccl) {
  EXPECT_THAT(check_libtorch({{"libtorch", "2.6.0"}, {"onednn", "3.6"}}).detail,
              HasSubstr("CUDA none, NCCL none"));
  EXPECT_THAT(check_libtorch({{"cuda", "12.4"}, {"nccl", "2.21.5"}}).detail,
              HasSubstr("CUDA 12.4, NCCL 2.21.5"));
}

TEST(CheckOnednn, WarnsOfWhatItGetsWrong) {
  EXPECT_EQ(check_onednn("").level, CheckLevel::kOk);
  EXPECT_EQ(check_onednn("oneDNN 3.7.2 multiplies wrongly").level, CheckLevel::kWarn);
  EXPECT_THAT(check_onednn("oneDNN 3.7.2 multiplies wrongly").detail, HasSubstr("3.7.2"));
}

TEST(CheckThreads, WarnsOfMoreThreadsThanCores) {
  EXPECT_EQ(check_threads({}, 2).level, CheckLevel::kOk);
  EXPECT_EQ(check_threads({{"OMP_NUM_THREADS", "2"}}, 2).level, CheckLevel::kOk);
  const auto check = check_threads({{"OPENBLAS_NUM_THREADS", "16"}}, 2);
  EXPECT_EQ(check.level, CheckLevel::kWarn);
  EXPECT_THAT(check.advice, HasSubstr("OPENBLAS_NUM_THREADS is more than the 2 cores"));
}

TEST(CheckAllocator, WarnsOfAnUnknownOne) {
  EXPECT_EQ(check_allocator("/lib/x86_64-linux-gnu/libc.so.6", {}).level, CheckLevel::kOk);
  EXPECT_EQ(check_allocator("/usr/lib/libjemalloc.so.2", {}).level, CheckLevel::kOk);
  EXPECT_EQ(check_allocator("/lib/ld-musl-x86_64.so.1", {}).level, CheckLevel::kWarn);
}

TEST(CheckDisk, FailsWhereNothingCanBeWritten) {
  const test::TemporaryDirectory directory;
  EXPECT_NE(check_disk(directory.path()).level, CheckLevel::kFail);
  EXPECT_EQ(check_disk(directory.path() / "absent").level, CheckLevel::kFail);
}

TEST(CheckProgram, SearchesThePath) {
  const Variables variables = {{"PATH", "/nonexistent:/bin"}};
  EXPECT_EQ(check_program("shell", "sh", variables, "install it").detail, "/bin/sh");
  const auto absent = check_program("mpi", "no-such-program", variables, "install it");
  EXPECT_EQ(absent.level, CheckLevel::kWarn);
  EXPECT_EQ(absent.advice, "install it");
}

TEST(CheckMachine, ChecksEverythingOnce) {
  const test::TemporaryDirectory directory;
  std::set<std::string> names;
  const auto checks = check_machine(directory.path(), {{"PATH", "/bin"}});
  for (const auto& check : checks) {
    EXPECT_FALSE(check.detail.empty()) << check.what;
    EXPECT_EQ(check.advice.empty(), check.level == CheckLevel::kOk) << check.what;
    names.insert(check.what);
  }
  EXPECT_EQ(names.size(), checks.size());
  EXPECT_THAT(names, testing::IsSupersetOf({"blas", "cores", "libtorch", "memory", "network"}));
}

TEST(Check, IsALineForPeopleAndAnObjectForPrograms) {
  const Check check{CheckLevel::kWarn, "mpi", "mpirun is not in PATH", "install it"};
  EXPECT_EQ(str(check), "warn  mpi        mpirun is not in PATH  -> install it");
  const nlohmann::json json = check;
  EXPECT_EQ(
      json.dump(),
      R"({"advice":"install it","detail":"mpirun is not in PATH","level":"warn","what":"mpi"})");
}

}  // namespace
}  // namespace yoke
