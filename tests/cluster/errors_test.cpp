// What a user reads when ranks do not find each other, or one of them hangs.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <memory>

#include "tests/cluster/training.h"

namespace yoke::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// Far above what the flags below ask for, far below what is the default.
constexpr int kLimitSeconds = 600;

class ClusterErrors : public testing::Test {
 protected:
  /// Rank `rank` of two that meet at `address`:`port`.
  std::vector<std::string> rank(int rank, const std::string& address, int port,
                                const std::string& patience = "--join-timeout 3") const {
    auto words = yoke_in(folder_.path(), training("run", 1, patience));
    words.insert(words.begin(), {"env", fmt::format("RANK={}", rank), "WORLD_SIZE=2",
                                 "MASTER_ADDR=" + address, fmt::format("MASTER_PORT={}", port)});
    return limited(kLimitSeconds, words);
  }

  void expect_no_run() const { EXPECT_FALSE(std::filesystem::exists(folder_.path() / "run")); }

  /// Rank `number` ends with an error that `says` so, and leaves no run.
  void expect_error(int number, const std::string& address, int port,
                    const testing::Matcher<const std::string&>& says) const {
    const auto result = run_program(rank(number, address, port));
    EXPECT_EQ(result.status, 1);
    EXPECT_THAT(result.output, says);
    expect_no_run();
  }

  TemporaryDirectory folder_;
};

/// A program that listens at a port of this host, and never says a word.
struct Stranger {
  BackgroundProgram program{
      {"/usr/bin/python3", "-c",
       "import socket, time\ns = socket.socket()\ns.bind(('', 0))\ns.listen()\n"
       "print(s.getsockname()[1], flush=True)\ntime.sleep(1000)"}};
  int port() const {
    EXPECT_TRUE(comes_true([&] { return program.output().ends_with('\n'); }));
    return std::stoi(program.output());
  }
};

TEST_F(ClusterErrors, NobodyAtMasterAddr) {
  const int port = free_port();
  expect_error(1, "127.0.0.1", port,
               AllOf(HasSubstr(fmt::format("nobody answers at 127.0.0.1:{} within 3 s", port)),
                     HasSubstr("MASTER_ADDR and MASTER_PORT must be its own")));
}

TEST_F(ClusterErrors, MasterAddrThatHasNoHost) {
  expect_error(1, "no-such-host.invalid", free_port(),
               HasSubstr("nobody answers at no-such-host.invalid:"));
}

TEST_F(ClusterErrors, MasterPortThatIsTaken) {
  const Stranger stranger;
  const int port = stranger.port();
  expect_error(0, "127.0.0.1", port,
               AllOf(HasSubstr(fmt::format("cannot serve the ranks' store on port {}", port)),
                     HasSubstr("is the port taken"), HasSubstr("--master-port (or MASTER_PORT)")));
}

TEST_F(ClusterErrors, MasterPortWhereAnotherProgramAnswers) {
  const Stranger stranger;
  const int port = stranger.port();
  expect_error(1, "127.0.0.1", port,
               HasSubstr(fmt::format("nobody answers at 127.0.0.1:{} within 3 s", port)));
}

TEST_F(ClusterErrors, ARankThatDoesNotCome) {
  expect_error(0, "127.0.0.1", free_port(),
               HasSubstr("of 2 ranks, 1 did not come within 3 s: 1; are they"));
}

TEST_F(ClusterErrors, ARankThatWaitsForOthersEndsAtASignal) {
  const int port = free_port();
  auto words = rank(0, "127.0.0.1", port, "--join-timeout 100");
  words.erase(words.begin(), words.begin() + 3);  // the signal is for yoke itself
  BackgroundProgram program(words);
  const auto connect = fmt::format("</dev/tcp/127.0.0.1/{}", port);
  ASSERT_TRUE(comes_true([&] { return run_program({"bash", "-c", connect}).status == 0; }));
  program.send(SIGTERM);
  const auto result = program.wait();
  EXPECT_EQ(result.status, 128 + SIGTERM) << result.output;
  expect_no_run();
}

TEST_F(ClusterErrors, RanksMayDifferInHowLongTheyWait) {
  const int port = free_port();
  std::vector<std::unique_ptr<BackgroundProgram>> ranks;
  for (int number = 0; number < 2; ++number) {
    const auto patience = fmt::format("--join-timeout {0} --comm-timeout {0}", 300 + number);
    ranks.push_back(std::make_unique<BackgroundProgram>(rank(number, "127.0.0.1", port, patience)));
  }
  for (const auto& rank : ranks) {
    const auto result = rank->wait();
    EXPECT_EQ(result.status, 0) << result.output;
  }
}

/// A long training over two ranks of which one is stopped, as if it hung.
class RankThatHangs : public ClusterErrors {
 protected:
  ProgramResult stop_one(int number, const std::string& launch, const std::string& comm,
                         int epochs) const {
    const auto run = folder_.path() / "run";
    const auto flags = fmt::format("--comm {} --comm-timeout 10 --checkpoint-every 5steps", comm);
    BackgroundProgram program(limited(
        2 * kLimitSeconds,
        yoke_in(folder_.path(), "run -np 2 " + launch + " " + training(run, epochs, flags))));
    EXPECT_TRUE(comes_true([&] { return steps_reported(run) >= 20; })) << program.output();
    const auto ranks = rank_processes(folder_.path());
    EXPECT_EQ(ranks.size(), 2);
    if (ranks.size() == 2) ::kill(ranks[static_cast<std::size_t>(number)].pid, SIGSTOP);
    const auto result = program.wait();
    EXPECT_FALSE(alive(ranks)) << "the stopped rank is left";
    return result;
  }
};

TEST_F(RankThatHangs, IsNamedAndEndsTheRun) {
  const auto result = stop_one(1, "", "shared-memory", 100000);
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.output,
              AllOf(testing::ContainsRegex("all-[a-z]+ of [0-9.]+ .?B failed on rank 0 of 2"),
                    testing::ContainsRegex("over shared-memory in step [0-9]+: "),
                    testing::ContainsRegex("rank 1 is missing: last seen [0-9]+ s ago"),
                    HasSubstr("Root Cause")));
  EXPECT_EQ(summary(folder_.path() / "run").at("status"), "failed");
}

TEST_F(RankThatHangs, IsReplacedWhereRestartsAreLeft) {
  const auto result = stop_one(0, "--max-restarts 5", "gloo", 100);
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output,
              AllOf(HasSubstr("failed on rank 1 of 2"), HasSubstr("restart 1 of 5")));
  expect_whole(folder_.path() / "run", 100, 2);
}

}  // namespace
}  // namespace yoke::test
