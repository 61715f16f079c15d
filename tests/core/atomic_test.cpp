#include "yoke/core/atomic.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/support.h"
#include "yoke/core/error.h"
#include "yoke/core/file.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;

TEST(WriteAtomically, MakesFilesAndDirectories) {
  const test::TemporaryDirectory directory;
  const auto file = directory.path() / "file";
  write_atomically(file, [](const fs::path& temporary) { write_file(temporary, "old"); });
  write_atomically(file, [&](const fs::path& temporary) {
    write_file(temporary, "new");
    EXPECT_EQ(read_file(file), "old");
  });
  EXPECT_EQ(read_file(file), "new");
  write_atomically(directory.path() / "folder", [](const fs::path& temporary) {
    fs::create_directory(temporary);
    write_file(temporary / "inside", "text");
  });
  EXPECT_EQ(read_file(directory.path() / "folder" / "inside"), "text");
  EXPECT_EQ(test::count_entries(directory.path()), 2u);
}

TEST(WriteAtomically, LeavesEverythingAsItWasWhenWritingFails) {
  const test::TemporaryDirectory directory;
  const auto file = directory.path() / "file";
  write_file(file, "old");
  EXPECT_THROW(write_atomically(file,
                                [](const fs::path& temporary) {
                                  write_file(temporary, "half");
                                  throw Error("full");
                                }),
               Error);
  EXPECT_EQ(read_file(file), "old");
  EXPECT_EQ(test::count_entries(directory.path()), 1u);
}

TEST(WriteAtomically, NeverReplacesADirectory) {
  const test::TemporaryDirectory directory;
  const auto folder = directory.path() / "folder";
  const auto make = [](const fs::path& temporary) {
    fs::create_directory(temporary);
    write_file(temporary / "inside", temporary.string());
  };
  write_atomically(folder, make);
  const auto before = read_file(folder / "inside");
  EXPECT_THROW(write_atomically(folder, make), Error);
  EXPECT_EQ(read_file(folder / "inside"), before);
  EXPECT_EQ(test::count_entries(directory.path()), 1u);
}

TEST(RemoveLeftovers, RemovesTemporariesOfDeadProcessesAlone) {
  const test::TemporaryDirectory directory;
  const auto& root = directory.path();
  // Above the largest process id that Linux gives, 2^22.
  for (const auto* const gone : {".a.tmp-999999999", ".b.tmp-999999998"}) {
    fs::create_directory(root / gone);
    write_file(root / gone / "inside", "half");
  }
  write_file(root / fmt::format(".own.tmp-{}", ::getpid()), "half");
  const auto alive = fmt::format(".alive.tmp-{}", ::getppid());
  for (const auto& kept : {alive, std::string("a.tmp-999999999"), std::string(".a.tmp-"),
                           std::string(".a.tmp-12x"), std::string("step-00000001")}) {
    write_file(root / kept, "kept");
  }
  remove_leftovers(root);
  EXPECT_TRUE(fs::exists(root / alive));
  EXPECT_EQ(test::count_entries(root), 5u);
  EXPECT_NO_THROW(remove_leftovers(root / "missing"));
}

}  // namespace
}  // namespace yoke
