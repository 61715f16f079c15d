// The installed library, as its users find it.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/support.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;

/// Runs a command that must succeed.
void must_run(const std::vector<std::string>& command) {
  const auto result = test::run_program(command);
  ASSERT_EQ(result.status, 0) << result.output;
}

TEST(Install, TrainsTheExamplesModuleWhenFoundByCMake) {
  const test::TemporaryDirectory directory;
  const std::string prefix = directory.path() / "prefix";
  const std::string build = directory.path() / "build";
  const std::string cmake = YOKE_CMAKE;
  const std::string flags = std::string("-DCMAKE_CXX_FLAGS=") + YOKE_SANITIZER_FLAGS;
  const std::string example = std::string(YOKE_SOURCE_DIR) + "/examples/mnist";
  ASSERT_NO_FATAL_FAILURE(must_run({cmake, "--install", YOKE_BUILD_DIR, "--prefix", prefix}));
  ASSERT_NO_FATAL_FAILURE(must_run({cmake, "-S", example, "-B", build, "-G", YOKE_GENERATOR,
                                    "-DCMAKE_PREFIX_PATH=" + prefix, flags}));
  ASSERT_NO_FATAL_FAILURE(must_run({cmake, "--build", build}));
  const std::string run = directory.path() / "run";
  const auto trained =
      test::run_program({build + "/mnist", "glyphs:train=512,validation=256", "data", run});
  EXPECT_EQ(trained.status, 0) << trained.output;
  EXPECT_NE(trained.output.find("Validation accuracy 0."), std::string::npos) << trained.output;
  EXPECT_TRUE(fs::exists(fs::path(run) / "summary.json"));
}

TEST(Install, HoldsTheProgramAndTheRecipes) {
  const test::TemporaryDirectory directory;
  const fs::path& prefix = directory.path();
  ASSERT_NO_FATAL_FAILURE(must_run({YOKE_CMAKE, "--install", YOKE_BUILD_DIR, "--prefix", prefix}));
  const auto help = test::run_program({prefix / "bin" / "yoke", "--version"});
  EXPECT_EQ(help.status, 0) << help.output;
  EXPECT_TRUE(fs::exists(prefix / "share" / "yoke" / "recipes" / "first.toml"));
}

}  // namespace
}  // namespace yoke
