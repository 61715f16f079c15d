// tests/apps/measuring_scripts_test.cpp: scripts that measure say what is allowed before they
// begin.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/support.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::vector<fs::path> measuring_scripts() {
  std::vector<fs::path> scripts;
  for (const auto& entry : fs::directory_iterator(YOKE_SOURCE_DIR "/scripts")) {
    const auto name = entry.path().filename().string();
    if (name.starts_with("compare") || name.starts_with("validate")) scripts.push_back(entry);
  }
  return scripts;
}

TEST(MeasuringScripts, RefuseToMeasureNothing) {
  const auto scripts = measuring_scripts();
  ASSERT_FALSE(scripts.empty());
  for (const auto& script : scripts) {
    const auto result = test::run_program({script.string(), "--rounds", "0"});
    EXPECT_EQ(result.status, 2) << script << result.output;
    EXPECT_THAT(result.output, HasSubstr("--rounds: is 0; allowed: a whole number of at least 1"));
  }
}

}  // namespace
}  // namespace yoke
