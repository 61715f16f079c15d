// tests/apps/gpu_check_test.cpp: what scripts/gpu-check says where it cannot begin. Programs and
// libraries that it looks for are stand-ins, and PATH holds nothing else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/support.h"
#include "yoke/core/files/file.h"

namespace yoke {
namespace {

using testing::AllOf;
using testing::HasSubstr;
namespace fs = std::filesystem;

constexpr const char* kPython = "/usr/bin/python3";
constexpr int kNoGpu = 77;

class GpuCheck : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(kPython)) GTEST_SKIP() << "there is no " << kPython;
    fs::create_directory(programs_);
  }

  void add_program(const std::string& name, const std::string& script) {
    write_file(programs_ / name, "#!/bin/sh\n" + script + "\n");
    fs::permissions(programs_ / name, fs::perms::owner_all);
  }

  void add_gpu() { add_program("nvidia-smi", "echo 'Fake GPU, 16000 MiB, 123.45'"); }

  /// A folder that looks like LibTorch to who does not build with it.
  void add_torch(const std::string& config, bool cuda) {
    fs::create_directories(torch_ / "share/cmake/Torch");
    fs::create_directories(torch_ / "lib");
    write_file(torch_ / "share/cmake/Torch/TorchConfig.cmake", config);
    if (cuda) write_file(torch_ / "lib/libtorch_cuda.so", "");
  }

  test::ProgramResult run(const std::vector<std::string>& variables = {},
                          const std::vector<std::string>& flags = {}) {
    std::vector<std::string> words = {"/usr/bin/env", "-i", "PATH=" + programs_.string()};
    words.insert(words.end(), variables.begin(), variables.end());
    words.insert(words.end(),
                 {kPython, YOKE_SOURCE_DIR "/scripts/gpu-check", "--build", build_.string()});
    words.insert(words.end(), flags.begin(), flags.end());
    return test::run_program(words);
  }

  const test::TemporaryDirectory directory_;
  const fs::path programs_ = directory_.path() / "bin";
  const fs::path torch_ = directory_.path() / "torch";
  const fs::path build_ = directory_.path() / "build";
};

TEST_F(GpuCheck, HasAStatusOfItsOwnWithoutAGpu) {
  const auto result = run();
  EXPECT_EQ(result.status, kNoGpu) << result.output;
  EXPECT_THAT(result.output, AllOf(HasSubstr("no NVIDIA GPU here"), HasSubstr("nvidia-smi"),
                                   HasSubstr("skipped")));
}

TEST_F(GpuCheck, RepeatsWhatTheDriverSaysOfItsTrouble) {
  add_program("nvidia-smi", "echo 'NVIDIA-SMI has failed'; exit 9");
  const auto result = run();
  EXPECT_EQ(result.status, kNoGpu) << result.output;
  EXPECT_THAT(result.output, HasSubstr("NVIDIA-SMI has failed"));
}

TEST_F(GpuCheck, SaysWhatIsMissingWithoutALibTorch) {
  add_gpu();
  auto result = run();
  EXPECT_EQ(result.status, 1) << result.output;
  EXPECT_THAT(result.output, AllOf(HasSubstr("no LibTorch"), HasSubstr("TORCH_DIR"),
                                   HasSubstr("python3 is missing")));
  add_program("python3", "echo \"No module named 'torch'\" >&2; exit 1");
  result = run();
  EXPECT_EQ(result.status, 1) << result.output;
  EXPECT_THAT(result.output, HasSubstr("No module named 'torch'"));
  result = run({"TORCH_DIR=" + directory_.path().string()});
  EXPECT_EQ(result.status, 1) << result.output;
  EXPECT_THAT(result.output, HasSubstr("holds no TorchConfig.cmake"));
}

TEST_F(GpuCheck, RefusesALibTorchThatCannotDo) {
  add_gpu();
  add_torch("", false);
  auto result = run({"TORCH_DIR=" + torch_.string()});
  EXPECT_EQ(result.status, 1) << result.output;
  EXPECT_THAT(result.output, HasSubstr("built without CUDA"));
  add_torch("set(TORCH_CXX_FLAGS \"-D_GLIBCXX_USE_CXX11_ABI=0\")", true);
  result = run({"TORCH_DIR=" + torch_.string()});
  EXPECT_EQ(result.status, 1) << result.output;
  EXPECT_THAT(result.output, HasSubstr("ABI"));
}

TEST_F(GpuCheck, TakesTheLibTorchOfPythonAndSaysWhichProgramsAreMissing) {
  add_gpu();
  add_torch("", true);
  add_program("python3", "echo " + (torch_ / "share/cmake").string());
  const auto result = run({"CUDA_HOME=" + directory_.path().string()});
  EXPECT_EQ(result.status, 1) << result.output;
  EXPECT_THAT(result.output, AllOf(HasSubstr("missing: cmake"), HasSubstr("install-dependencies")));
}

TEST_F(GpuCheck, BuildsWithTheLibrariesOfAKit) {
  add_gpu();
  add_torch("", true);
  for (const char* const tool : {"bash", "cat", "dirname", "env", "find", "gcc", "grep", "ln",
                                 "make", "mkdir", "readlink", "sed", "sort", "tar", "touch"}) {
    const fs::path there = fs::path("/usr/bin") / tool;
    fs::create_symlink(fs::exists(there) ? there : fs::path("/bin") / tool, programs_ / tool);
  }
  for (const char* const tool : {"c++", "ctest", "ninja", "nvcc"}) add_program(tool, "exit 0");
  add_program("cmake", "echo \"finds $CMAKE_PREFIX_PATH\"; exit 1");
  const fs::path kit = directory_.path() / "kit.tar.xz", files = directory_.path() / "files";
  fs::create_directories(files / "usr/lib/pkgconfig");
  write_file(files / "usr/lib/pkgconfig/thing.pc", "prefix=/usr\nlibdir=${prefix}/lib\n");
  ASSERT_EQ(test::run_program({"tar", "-cf", kit.string(), "-C", files.string(), "."}).status, 0);
  const std::vector<std::string> torch = {"TORCH_DIR=" + torch_.string()};
  const std::string packages = (build_ / "packages").string();
  auto result = run(torch, {"--kit", kit.string()});
  EXPECT_EQ(result.status, 1) << result.output;
  EXPECT_THAT(result.output, HasSubstr("finds " + packages + "/usr"));
  EXPECT_THAT(read_file(build_ / "packages/usr/lib/pkgconfig/thing.pc"),
              HasSubstr("prefix=" + packages + "/usr\n"));
  fs::remove_all(build_);
  write_file(kit, "no archive");
  result = run(torch, {"--kit", kit.string()});
  EXPECT_EQ(result.status, 1) << result.output;
  EXPECT_THAT(result.output, HasSubstr("is not what scripts/make-kit makes"));
  fs::remove_all(build_);
  result = run(torch, {"--kit", (directory_.path() / "none").string()});
  EXPECT_THAT(result.output, HasSubstr("There is no file '" + directory_.path().string()));
  EXPECT_FALSE(fs::exists(build_));
}

}  // namespace
}  // namespace yoke
