// A training whose ranks are killed again and again.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

#include "tests/cluster/training.h"
#include "yoke/core/random.h"

namespace yoke::test {
namespace {

using testing::HasSubstr;

constexpr const char* kKillFlags = "--checkpoint-every 5steps --keep 2 --seed 7";

/// Kills one of two ranks after step `least`; returns once the run trains again.
void kill_one(const TemporaryDirectory& folder, std::int64_t least, RandomStream& random) {
  const auto run = folder.path() / "killed";
  ASSERT_TRUE(comes_true([&] { return steps_reported(run) >= least; })) << least;
  std::this_thread::sleep_for(std::chrono::milliseconds(random.below(30)));
  const auto ranks = rank_processes(folder.path());
  ASSERT_EQ(ranks.size(), 2) << "it ended too early to tell anything";
  ::kill(ranks[random.below(2)].pid, SIGKILL);
  ASSERT_TRUE(comes_true([&] { return !alive(ranks); })) << "the other rank goes on";
  const auto reached = steps_reported(run);
  ASSERT_TRUE(comes_true([&] { return steps_reported(run) > reached; })) << reached;
}

TEST(Cluster, TrainingWhoseRanksAreKilledAgainAndAgainEndsLikeAnUndisturbedOne) {
  const int kills = long_tests() ? 10 : 3, epochs = 8 * kills + 8, steps = 10 * epochs;
  const TemporaryDirectory folder;
  const auto start = [&](const char* out) {
    return yoke_in(folder.path(),
                   "run -np 2 --max-restarts 50 " + training(out, epochs, kKillFlags));
  };
  const auto undisturbed = run_program(start("undisturbed"));
  ASSERT_EQ(undisturbed.status, 0) << undisturbed.output;
  BackgroundProgram program(start("killed"));
  RandomStream random(static_cast<std::uint64_t>(::getpid()), 0, 0, Purpose::kTest);
  for (int kill = 0; kill < kills; ++kill) {
    kill_one(folder, steps * (kill + 1) / (kills + 2), random);
    ASSERT_FALSE(HasFatalFailure()) << program.output();
  }
  const auto result = program.wait();
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr(fmt::format("restart {} of 50", kills)));
  expect_whole(folder.path() / "killed", epochs, 2);
  expect_same_runs(folder.path() / "undisturbed", folder.path() / "killed");
}

TEST(Cluster, TrainingKilledBeforeItsFirstCheckpointBeginsAgainWithCleanMetrics) {
  const TemporaryDirectory folder;
  const auto run = folder.path() / "run";
  BackgroundProgram program(
      yoke_in(folder.path(),
              "run -np 2 --max-restarts 1 " + training(run, 40, "--checkpoint-every 1000steps")));
  ASSERT_TRUE(comes_true([&] { return steps_reported(run) >= 3; })) << program.output();
  const auto ranks = rank_processes(folder.path());
  ASSERT_EQ(ranks.size(), 2);
  ::kill(ranks[1].pid, SIGKILL);
  const auto result = program.wait();
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("restart 1 of 1"));
  expect_whole(run, 40, 2);
}

TEST(Cluster, TrainingWhoseParameterServerIsKilledEndsLikeAnUndisturbedOne) {
  constexpr int kEnough = 30;  // epochs
  const TemporaryDirectory folder;
  const auto start = [&](const char* out) {
    return yoke_in(folder.path(),
                   "run -np 3 --max-restarts 1 " +
                       training(out, kEnough,
                                "--strategy parameter-server:servers=1 --checkpoint-every 5steps "
                                "--keep 1000"));
  };
  const auto undisturbed = run_program(start("undisturbed"));
  ASSERT_EQ(undisturbed.status, 0) << undisturbed.output;
  BackgroundProgram program(start("killed"));
  const auto checkpoint = folder.path() / "killed" / "checkpoints" / "step-00000005";
  ASSERT_TRUE(comes_true([&] { return std::filesystem::exists(checkpoint); })) << program.output();
  const auto ranks = rank_processes(folder.path());
  ASSERT_EQ(ranks.size(), 3);
  ::kill(ranks[0].pid, SIGKILL);  // servers are the first ranks
  const auto result = program.wait();
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("restart 1 of 1"));
  expect_whole(folder.path() / "killed", kEnough, 3);
  expect_same_runs(folder.path() / "undisturbed", folder.path() / "killed");
}

TEST(Soak, FindsNothingLostAndNothingLeft) {
  if (!long_tests()) GTEST_SKIP() << "long: make test-all, or make soak MINUTES=10";
  const auto result = run_program(
      {std::string(YOKE_SOURCE_DIR) + "/scripts/soak", "--minutes", "5", "--yoke", YOKE_PROGRAM});
  EXPECT_EQ(result.status, 0) << result.output;
}

}  // namespace
}  // namespace yoke::test
