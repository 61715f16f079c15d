#include "yoke/core/version.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "yoke/core/files/file.h"

namespace yoke {
namespace {

TEST(Version, EqualsTheOneOfTheBuildFiles) {
  const auto build_file = read_file(std::filesystem::path(YOKE_SOURCE_DIR) / "CMakeLists.txt");
  EXPECT_THAT(build_file, testing::HasSubstr(fmt::format("project(yoke VERSION {} ", kVersion)));
}

}  // namespace
}  // namespace yoke
