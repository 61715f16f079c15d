#include "yoke/data/download/unpack.h"

#include <gmock/gmock.h>

#include "tests/data/archive.h"
#include "tests/support/support.h"
#include "yoke/core/error.h"
#include "yoke/core/files/file.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;
using test::ArchiveEntry;
using testing::HasSubstr;

class UnpackTest : public testing::Test {
 protected:
  void unpack_entries(const std::vector<ArchiveEntry>& entries) const {
    test::write_archive(archive_, entries);
    unpack(archive_, target_);
  }

  void expect_refusal(const std::vector<ArchiveEntry>& entries, const std::string& why) const {
    fs::remove_all(target_);
    try {
      unpack_entries(entries);
      ADD_FAILURE() << "unpacked an entry that " << why;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(why));
      EXPECT_THAT(error.what(), HasSubstr(archive_.string()));
    }
    EXPECT_FALSE(fs::exists(directory_.path() / "outside"));
  }

  const test::TemporaryDirectory directory_;
  const fs::path archive_ = directory_.path() / "archive.tar.gz";
  const fs::path target_ = directory_.path() / "target";
};

TEST_F(UnpackTest, WritesFilesAndFolders) {
  const std::string large(1'000'000, 'x');
  unpack_entries({{.name = "folder/", .type = AE_IFDIR},
                  {.name = "folder/a", .content = "one"},
                  {.name = "./folder/inner/b", .content = large},
                  {.name = "empty", .content = ""}});
  EXPECT_EQ(read_file(target_ / "folder" / "a"), "one");
  EXPECT_EQ(read_file(target_ / "folder" / "inner" / "b"), large);
  EXPECT_EQ(read_file(target_ / "empty"), "");
}

TEST_F(UnpackTest, RefusesToLeaveTheFolder) {
  expect_refusal({{.name = "../outside", .content = "x"}}, "would land outside");
  expect_refusal({{.name = "a/../../outside", .content = "x"}}, "would land outside");
  expect_refusal({{.name = (directory_.path() / "outside").string(), .content = "x"}},
                 "has no relative path");
}

TEST_F(UnpackTest, RefusesLinks) {
  const std::string here = directory_.path().string();
  expect_refusal(
      {{.name = "link", .type = AE_IFLNK, .link = here}, {.name = "link/outside", .content = "x"}},
      "neither a file nor a folder");
  expect_refusal({{.name = "link", .link = here + "/archive.tar.gz"}},
                 "neither a file nor a folder");
}

TEST_F(UnpackTest, RefusesTheSameFileTwice) {
  EXPECT_THROW(unpack_entries({{.name = "a", .content = "x"}, {.name = "a", .content = "y"}}),
               Error);
}

TEST_F(UnpackTest, SaysWhenTheArchiveIsCutOrNoArchive) {
  test::write_archive(archive_, {{.name = "a", .content = std::string(100'000, 'x')}});
  fs::resize_file(archive_, fs::file_size(archive_) - 30);
  EXPECT_THROW(unpack(archive_, target_), Error);
  write_file(archive_, "this is no archive");
  EXPECT_THROW(unpack(archive_, target_), Error);
  EXPECT_THROW(unpack(directory_.path() / "absent", target_), Error);
}

}  // namespace
}  // namespace yoke
