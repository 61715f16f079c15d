// Notes of runs: a record names a process to be signalled, so nobody else may write one.
#include "yoke/launch/run_record.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/support.h"

namespace yoke::launch {
namespace {

namespace fs = std::filesystem;

RunRecord record() { return {.id = "a", .command = "yoke run", .directory = "", .log_dir = ""}; }

TEST(RunRecords, AreOfRunsThatRun) {
  const test::TemporaryDirectory directory;
  const auto records = directory.path() / "runs";
  {
    const RecordedRun run(records, record());
    EXPECT_EQ(run.problem(), "");
    const auto found = running_records(records);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].pid, ::getpid());
  }
  EXPECT_TRUE(running_records(records).empty());
}

TEST(RunRecords, OfAFolderThatOthersWriteAreNone) {
  const test::TemporaryDirectory directory;
  const RecordedRun run(directory.path(), record());
  for (const auto perms : {fs::perms::others_write, fs::perms::group_write}) {
    fs::permissions(directory.path(), fs::perms::owner_all | perms);
    EXPECT_TRUE(running_records(directory.path()).empty());
  }
  fs::permissions(directory.path(), fs::perms::owner_all);
  EXPECT_EQ(running_records(directory.path()).size(), 1U);
}

TEST(RunRecords, OfAFolderOfAnotherUserAreNone) {
  const test::TemporaryDirectory directory;
  const RecordedRun run(directory.path(), record());
  if (::chown(directory.path().c_str(), 1, static_cast<gid_t>(-1)) != 0) {
    GTEST_SKIP() << "needs root, who may give files away";
  }
  EXPECT_TRUE(running_records(directory.path()).empty());
  ASSERT_EQ(::chown(directory.path().c_str(), ::geteuid(), static_cast<gid_t>(-1)), 0);
  EXPECT_EQ(running_records(directory.path()).size(), 1U);
}

TEST(RunRecords, AreNotInASharedFolderWhereNoVariableSaysWhere) {
  const auto folder = records_directory({});
  EXPECT_NE(folder, records_directory({{"HOME", "/tmp"}}));
  EXPECT_EQ(folder.filename(), "runs");
}

}  // namespace
}  // namespace yoke::launch
