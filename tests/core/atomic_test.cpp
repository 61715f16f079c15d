#include "yoke/core/files/atomic.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/support.h"
#include "yoke/core/error.h"
#include "yoke/core/files/file.h"

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

/// Leaves what a process that dies in the middle of writing does; returns its id.
pid_t die_while_writing(const fs::path& path) {
  const pid_t child = ::fork();
  if (child == 0) {
    write_atomically(path, [](const fs::path& temporary) {
      fs::create_directory(temporary);
      write_file(temporary / "inside", "half");
      ::_exit(0);
    });
  }
  ::waitpid(child, nullptr, 0);
  return child;
}

/// The only entry of `directory`.
std::string only_entry(const fs::path& directory) {
  return fs::directory_iterator(directory)->path().filename().string();
}

TEST(RemoveLeftovers, RemovesTemporariesOfDeadProcessesOfThisHostAlone) {
  const test::TemporaryDirectory directory, other;
  const auto& root = directory.path();
  die_while_writing(root / "a");
  die_while_writing(root / "b");
  ASSERT_EQ(test::count_entries(root), 2u);
  const auto dead = die_while_writing(other.path() / "c");
  const auto name = only_entry(other.path());
  const auto of_process = [&](pid_t process) {
    return name.substr(0, name.size() - std::to_string(dead).size()) + std::to_string(process);
  };
  ASSERT_EQ(of_process(dead), name) << "the process comes last";
  write_file(root / of_process(::getpid()), "half");
  auto of_another_host = name;
  const auto host = of_another_host.rfind(".tmp-") + 5;
  of_another_host[host] = of_another_host[host] == '0' ? '1' : '0';
  for (const auto& kept :
       {of_process(::getppid()), of_another_host, fmt::format(".host-unknown.tmp-{}", dead),
        std::string(".a.tmp-"), std::string(".a.tmp-12x"), name.substr(1), name + "x",
        std::string("step-00000001")}) {
    write_file(root / kept, "kept");
  }
  remove_leftovers(root);
  EXPECT_TRUE(fs::exists(root / of_process(::getppid())));
  EXPECT_TRUE(fs::exists(root / of_another_host));
  EXPECT_FALSE(fs::exists(root / of_process(::getpid())));
  EXPECT_EQ(test::count_entries(root), 8u);
  EXPECT_NO_THROW(remove_leftovers(root / "missing"));
}

TEST(RemoveLeftovers, RemovesThoseOfProcessesThatNobodyWaitedFor) {
  const test::TemporaryDirectory directory;
  const pid_t child = ::fork();
  if (child == 0) {
    write_atomically(directory.path() / "a", [](const fs::path& temporary) {
      write_file(temporary, "half");
      ::_exit(0);
    });
  }
  siginfo_t ended;
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT), 0);
  ASSERT_EQ(test::count_entries(directory.path()), 1u);
  remove_leftovers(directory.path());
  EXPECT_EQ(test::count_entries(directory.path()), 0u);
  ::waitpid(child, nullptr, 0);
}

TEST(GiveUp, LetsAFolderGoAsAWhole) {
  const test::TemporaryDirectory directory;
  const auto folder = directory.path() / "folder";
  fs::create_directory(folder);
  write_file(folder / "inside", "text");
  give_up(folder);
  EXPECT_FALSE(fs::exists(folder));
  EXPECT_EQ(test::count_entries(directory.path()), 1u);
  remove_leftovers(directory.path());
  EXPECT_EQ(test::count_entries(directory.path()), 0u);
}

}  // namespace
}  // namespace yoke
