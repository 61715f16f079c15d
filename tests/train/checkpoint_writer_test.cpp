#include "yoke/train/checkpoints/checkpoint_writer.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <stdexcept>
#include <thread>

#include "tests/support/file_size_limit.h"
#include "tests/support/support.h"
#include "yoke/core/error.h"
#include "yoke/core/files/atomic.h"
#include "yoke/core/files/file.h"
#include "yoke/core/random.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Checkpoint filled_checkpoint(std::int64_t step, std::int64_t elements = 10) {
  return {.step = step,
          .model = {{"weight", torch::full({elements}, static_cast<double>(step))}},
          .optimizer = {},
          .state = {{"step", step}}};
}

std::optional<Checkpoint> newest_good(const fs::path& directory) {
  return read_newest_good(directory, [](const std::string& problem) { ADD_FAILURE() << problem; });
}

TEST(CheckpointWriter, KeepsTheNewest) {
  const test::TemporaryDirectory directory;
  CheckpointWriter writer(directory.path(), 2);
  EXPECT_FALSE(writer.newest().has_value());
  for (const auto step : {10, 20, 30}) writer.save(filled_checkpoint(step));
  writer.wait();
  EXPECT_THAT(list_checkpoints(directory.path()),
              ElementsAre(directory.path() / "step-00000030", directory.path() / "step-00000020"));
  EXPECT_EQ(writer.newest(), directory.path() / "step-00000030");
  EXPECT_THAT(writer.take_problems(), IsEmpty());
}

TEST(CheckpointWriter, KeepsMoreThan32BitsCount) {
  const test::TemporaryDirectory directory;
  CheckpointWriter writer(directory.path(), (std::int64_t{1} << 32) + 1);
  for (const auto step : {10, 20, 30}) writer.save(filled_checkpoint(step));
  writer.wait();
  EXPECT_EQ(list_checkpoints(directory.path()).size(), 3);
}

TEST(CheckpointWriter, CountsOnlyGoodOnesAsKept) {
  const test::TemporaryDirectory directory;
  for (const auto step : {10, 20, 30}) write_checkpoint(directory.path(), filled_checkpoint(step));
  fs::remove(directory.path() / "step-00000030" / "state.json");
  CheckpointWriter writer(directory.path(), 2);
  EXPECT_EQ(writer.newest(), directory.path() / "step-00000020");
  writer.save(filled_checkpoint(40));
  writer.wait();
  EXPECT_TRUE(fs::exists(directory.path() / "step-00000020"));
  EXPECT_FALSE(fs::exists(directory.path() / "step-00000010"));
}

TEST(CheckpointWriter, KeepsWhatItWroteBesideNewerOnesOfAnotherTry) {
  const test::TemporaryDirectory directory;
  write_checkpoint(directory.path(), filled_checkpoint(90));
  CheckpointWriter writer(directory.path(), 1);
  writer.save(filled_checkpoint(40));
  writer.wait();
  EXPECT_EQ(read_checkpoint(directory.path() / "step-00000040").step, 40);
}

TEST(CheckpointWriter, RefusesToKeepNone) {
  EXPECT_THROW(CheckpointWriter("anywhere", 0), UsageError);
}

TEST(CheckpointWriter, RemovesWhatADeadProcessOfThisHostLeft) {
  const test::TemporaryDirectory directory;
  const auto child = ::fork();
  if (child == 0) {
    write_atomically(directory.path() / "step-00000050", [](const fs::path& temporary) {
      fs::create_directory(temporary);
      ::_exit(0);
    });
  }
  ::waitpid(child, nullptr, 0);
  ASSERT_EQ(test::count_entries(directory.path()), 1u);
  const auto elsewhere = directory.path() / ".step-00000060.tmp-999999999";
  fs::create_directory(elsewhere);
  const CheckpointWriter writer(directory.path(), 2);
  EXPECT_EQ(test::count_entries(directory.path()), 1u);
  EXPECT_TRUE(fs::exists(elsewhere)) << "it may be another host's";
}

/// Also where it ends while an old one goes.
TEST(CheckpointWriter, NeverLeavesAPartOfACheckpoint) {
  constexpr int kFiles = 3000;  // a checkpoint that takes long to remove
  const test::TemporaryDirectory directory;
  const auto old = directory.path() / "step-00000010";
  write_checkpoint(directory.path(), filled_checkpoint(10));
  for (int i = 0; i < kFiles; ++i) write_synced(old / std::to_string(i), {});
  const auto entries = [&] {
    std::error_code gone;
    return std::distance(fs::directory_iterator(old, gone), fs::directory_iterator());
  };
  const auto all = entries();
  const auto child = ::fork();
  if (child == 0) {
    CheckpointWriter writer(directory.path(), 1);
    writer.save(filled_checkpoint(20));
    writer.wait();
    ::_exit(0);
  }
  bool ended = false;
  while (!ended && entries() == all) ended = ::waitpid(child, nullptr, WNOHANG) != 0;
  if (!ended) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
  const auto left = entries();
  EXPECT_TRUE(left == 0 || left == all) << left << " of " << all;
  EXPECT_EQ(newest_good(directory.path())->step, 20);
}

TEST(CheckpointWriter, TellsOfAFullDiskAndLeavesTheLastGoodOne) {
  const test::TemporaryDirectory directory;
  CheckpointWriter writer(directory.path(), 1);
  writer.save(filled_checkpoint(10));
  writer.wait();
  {
    const test::FileSizeLimit limit(20000);
    writer.save(filled_checkpoint(20, 10000));
    writer.wait();
  }
  EXPECT_THAT(writer.take_problems(),
              ElementsAre(::testing::AllOf(HasSubstr("step 20"), HasSubstr("File too large"))));
  EXPECT_THAT(writer.take_problems(), IsEmpty());
  EXPECT_EQ(newest_good(directory.path())->step, 10);
  EXPECT_EQ(writer.newest(), directory.path() / "step-00000010");
  EXPECT_EQ(std::distance(fs::directory_iterator(directory.path()), fs::directory_iterator()), 1);
  writer.save(filled_checkpoint(30, 10000));
  writer.wait();
  EXPECT_EQ(newest_good(directory.path())->step, 30);
}

TEST(CheckpointWriter, TellsOfADirectoryThatCannotBeMade) {
  const test::TemporaryDirectory directory;
  write_file(directory.path() / "file", "in the way");
  CheckpointWriter writer(directory.path() / "file" / "checkpoints", 1);
  writer.save(filled_checkpoint(10));
  writer.wait();
  EXPECT_THAT(writer.take_problems(), ElementsAre(HasSubstr("Not a directory")));
  EXPECT_FALSE(writer.newest().has_value());
}

TEST(CheckpointWriter, DestructionWaitsForTheWriteUnderWay) {
  const test::TemporaryDirectory directory;
  CheckpointWriter(directory.path(), 1).save(filled_checkpoint(10, 1 << 18));
  EXPECT_EQ(newest_good(directory.path())->step, 10);
}

/// Writes checkpoints without end, from the step after the newest good one.
[[noreturn]] void write_for_ever(const fs::path& directory) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  CheckpointWriter writer(directory, 2);
  for (auto step = newest_good(directory)->step + 1;; ++step)
    writer.save(filled_checkpoint(step, 1 << 16));
}

TEST(CheckpointWriter, LeavesAGoodCheckpointWhenKilledAtAnyMoment) {
  at::set_num_threads(1);  // OpenMP's threads do not come along to a process that is forked
  const test::TemporaryDirectory directory;
  write_checkpoint(directory.path(), filled_checkpoint(1));
  RandomStream random(1, 0, 0, Purpose::kTest);
  for (int round = 0; round < 12; ++round) {
    const auto before = newest_good(directory.path())->step;
    const auto child = ::fork();
    if (child == 0) write_for_ever(directory.path());
    const auto first = fmt::format("step-{:08}", before + 1);
    test::comes_true(
        [&] { return list_checkpoints(directory.path()).front().filename() >= first; });
    std::this_thread::sleep_for(std::chrono::microseconds(random.below(30000)));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);

    const auto checkpoint = newest_good(directory.path());
    ASSERT_TRUE(checkpoint.has_value());
    EXPECT_GT(checkpoint->step, before);
    EXPECT_EQ(checkpoint->state["step"], checkpoint->step);
    EXPECT_TRUE((checkpoint->model[0].second == checkpoint->step).all().item<bool>());
  }
  const CheckpointWriter writer(directory.path(), 2);
  for (const auto& entry : fs::directory_iterator(directory.path())) {
    EXPECT_THAT(entry.path().filename().string(), ::testing::StartsWith("step-"));
  }
}

}  // namespace
}  // namespace yoke
