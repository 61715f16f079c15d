#include "yoke/core/files/temporary_folder.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/support.h"
#include "yoke/core/error.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;

TEST(TemporaryFolder, IsForThisUserAloneAndGoesWithItsContents) {
  const test::TemporaryDirectory around;
  fs::path path;
  {
    const TemporaryFolder folder(around.path() / ".new-"), other(around.path() / ".new-");
    path = folder.path();
    EXPECT_EQ(path.parent_path(), around.path());
    EXPECT_TRUE(path.filename().string().starts_with(".new-"));
    EXPECT_NE(path, other.path());
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
    std::ofstream(path / "file") << "x";
  }
  EXPECT_FALSE(fs::exists(path));
  EXPECT_TRUE(fs::is_empty(around.path()));
}

TEST(TemporaryFolder, SaysWhereItCannotBe) {
  EXPECT_THROW(TemporaryFolder("/no/such/place/x-"), Error);
}

}  // namespace
}  // namespace yoke
