#include "yoke/core/files/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/support.h"
#include "yoke/core/error.h"
#include "yoke/core/files/checksum.h"
#include "yoke/core/files/recipe.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;

TEST(WriteFile, ReplacesTheWholeFileAndLeavesNothingElse) {
  const test::TemporaryDirectory directory;
  const auto path = directory.path() / "file";
  write_file(path, "first, and longer");
  write_file(path, std::string("a\0b", 3));
  EXPECT_EQ(read_file(path), std::string("a\0b", 3));
  EXPECT_EQ(test::count_entries(directory.path()), 1u);
}

TEST(WriteFile, LeavesTheOldFileWhenItFails) {
  const test::TemporaryDirectory directory;
  const auto path = directory.path() / "folder";
  fs::create_directory(path);
  write_file(path / "inside", "kept");
  EXPECT_THROW(write_file(path, "a file cannot replace a folder"), Error);
  EXPECT_EQ(read_file(path / "inside"), "kept");
  EXPECT_EQ(test::count_entries(directory.path()), 1u);
}

TEST(ReadFile, FailsOnWhatCannotBeRead) {
  const test::TemporaryDirectory directory;
  EXPECT_THROW(read_file(directory.path() / "absent"), Error);
  EXPECT_THROW(read_file(directory.path()), Error);
}

TEST(ReadFile, FailsWhenTheSystemDoesInTheMiddle) {
  // It can be opened; its first page cannot be read: EIO.
  EXPECT_THROW(read_file("/proc/self/mem"), Error);
  EXPECT_THROW(file_checksum("sha256", "/proc/self/mem"), Error);
}

TEST(ReadFile, ReadsFilesWhoseSizeIsNotTold) {
  EXPECT_GT(read_file("/proc/self/maps").size(), 1000u);
  EXPECT_EQ(read_file("/dev/null"), "");
}

TEST(FileDescriptor, FailsWhenTheDiskIsFull) {
  FileDescriptor full("/dev/full", 1);  // O_WRONLY
  const std::string text = "x";
  EXPECT_THROW(full.write(std::as_bytes(std::span(text))), Error);
}

TEST(Checksum, EqualsPublishedDigests) {
  const std::string text = "abc";
  const auto bytes = std::as_bytes(std::span(text));
  EXPECT_EQ(checksum("md5", bytes), "900150983cd24fb0d6963f7d28e17f72");
  EXPECT_EQ(checksum("sha256", bytes),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_THROW(checksum("no-such-digest", bytes), Error);
}

TEST(Checksum, OfAFileLongerThanAPieceEqualsThatOfItsBytes) {
  const test::TemporaryDirectory directory;
  const std::string text((1 << 20) + 17, 'y');
  write_file(directory.path() / "file", text);
  EXPECT_EQ(file_checksum("md5", directory.path() / "file"),
            checksum("md5", std::as_bytes(std::span(text))));
  EXPECT_THROW(file_checksum("md5", directory.path() / "absent"), Error);
}

TEST(Recipe, KeepsOrderKindsAndLines) {
  const test::TemporaryDirectory directory;
  const auto path = directory.path() / "recipe.toml";
  write_file(path,
             "# comment\nmodel = \"a \\\"b\\\"\"\n\nbatch_size = 256\nlr = 0.1\nquiet = true\n");
  const auto entries = read_recipe(path);
  ASSERT_EQ(entries.size(), 4u);
  EXPECT_EQ(entries[0].value, "a \"b\"");
  EXPECT_TRUE(entries[0].quoted);
  EXPECT_EQ(entries[1].key, "batch-size");
  EXPECT_EQ(entries[1].line, 4);
  EXPECT_EQ(entries[2].value, "0.1");
  EXPECT_EQ(entries[3].value, "true");
  write_file(path, recipe_text(entries));
  EXPECT_EQ(read_recipe(path)[0].value, entries[0].value);
}

}  // namespace
}  // namespace yoke
