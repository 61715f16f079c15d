#include "yoke/data/formats/tar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "tests/data/archive.h"
#include "tests/data/dataset_files.h"
#include "tests/support/support.h"
#include "yoke/core/error.h"
#include "yoke/core/random.h"
#include "yoke/core/system/parallel_for.h"

namespace yoke {
namespace {

using test::ArchiveEntry;
using testing::HasSubstr;

class Tar : public testing::Test {
 protected:
  static std::string content(std::size_t number) {
    RandomStream random(1, 0, number, Purpose::kTest);
    std::string bytes(random.below(3000), '\0');  // also none, and no multiple of 512
    for (auto& byte : bytes) byte = static_cast<char>(random.below(256));
    return bytes;
  }

  static std::vector<ArchiveEntry> entries() {
    std::vector<ArchiveEntry> entries = {{.name = "folder/", .type = AE_IFDIR}};
    for (std::size_t i = 0; i < 60; ++i) {
      // Names longer than 100 bytes take headers of their own.
      const std::string name = i % 3 == 0 ? std::string(200, 'n') : "short";
      entries.push_back({.name = fmt::format("folder/{}{}.jpg", name, i), .content = content(i)});
      entries.push_back({.name = "folder/notes.txt", .content = "not wanted"});
    }
    return entries;
  }

  static bool is_jpg(std::string_view name) { return name.ends_with(".jpg"); }

  std::filesystem::path write(const std::string& name, int filter) const {
    write_archive(directory_.path() / name, entries(), filter);
    return directory_.path() / name;
  }

  static void expect_all(const TarFile& tar) {
    ASSERT_EQ(tar.entries().size(), 60U);
    parallel_for(60, [&](std::int64_t begin, std::int64_t end) {
      std::vector<std::uint8_t> scratch;
      for (std::int64_t i = begin; i < end; ++i) {
        const auto& entry = tar.entries()[static_cast<std::size_t>(i)];
        const auto bytes = tar.read(entry.offset, entry.size_bytes, scratch);
        EXPECT_EQ(std::string(bytes.begin(), bytes.end()), content(static_cast<std::size_t>(i)));
      }
    });
  }

  test::TemporaryDirectory directory_;
};

TEST_F(Tar, GivesEveryEntryOfAPlainFileInPlace) {
  expect_all(TarFile(write("plain.tar", ARCHIVE_FILTER_NONE), is_jpg));
}

TEST_F(Tar, GivesEveryEntryOfACompressedFile) {
  for (const int filter : {ARCHIVE_FILTER_GZIP, ARCHIVE_FILTER_XZ, ARCHIVE_FILTER_BZIP2}) {
    expect_all(TarFile(write("compressed.tar", filter), is_jpg));
  }
}

TEST_F(Tar, FailsWhenCutShort) {
  for (const int filter : {ARCHIVE_FILTER_NONE, ARCHIVE_FILTER_GZIP, ARCHIVE_FILTER_XZ}) {
    const auto path = write("whole.tar", filter);
    const auto size = std::filesystem::file_size(path);
    for (const auto part : {size / 10, size / 2, size * 9 / 10}) {
      const auto cut = directory_.path() / "cut.tar";
      std::filesystem::copy_file(path, cut, std::filesystem::copy_options::overwrite_existing);
      std::filesystem::resize_file(cut, part);
      EXPECT_THAT(test::failure_of([&] { TarFile(cut, is_jpg); }), HasSubstr(cut.string()))
          << part << " of " << size;
    }
  }
}

TEST_F(Tar, RefusesWhatIsNoTarFileAndLinksInPlaceOfImages) {
  const auto path = directory_.path() / "other.tar";
  write_file(path, std::string(5000, 'x'));
  EXPECT_THAT(test::failure_of([&] { TarFile(path, is_jpg); }), HasSubstr(path.string()));
  test::write_archive(path, {{.name = "a.jpg", .content = "a"}, {.name = "b.jpg", .link = "a.jpg"}},
                      ARCHIVE_FILTER_NONE);
  EXPECT_THAT(test::failure_of([&] { TarFile(path, is_jpg); }), HasSubstr("'b.jpg' is a link"));
}

TEST(TarName, IsThatOfPlainAndCompressedFiles) {
  for (const char* const name : {"a.tar", "a.tgz", "a.b.tar.gz", "a.tar.xz", "a.tar.zst"}) {
    EXPECT_TRUE(is_tar_name(name)) << name;
  }
  for (const char* const name : {"a.tar.md5", "a.zip", "tar", "a.gz", "a.tar.xz.part"}) {
    EXPECT_FALSE(is_tar_name(name)) << name;
  }
}

}  // namespace
}  // namespace yoke
