// The coordinator's rules, with a clock of their own.
#include "yoke/launch/rendezvous/rounds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <optional>

#include "yoke/core/system/clock.h"
#include "yoke/core/system/exit_status.h"
#include "yoke/core/version.h"

namespace yoke::launch {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// Rounds, what they sent and said, and the time, which passes only when told to.
class Bench {
 public:
  explicit Bench(NodeRange nodes, int max_restarts = 0, int max_lost = 0,
                 std::vector<std::string> hosts = {})
      : rounds({.run = "run",
                .name = "program",
                .nodes = nodes,
                .max_restarts = max_restarts,
                .max_lost = max_lost,
                .master_addr = {},
                .hosts = std::move(hosts)},
               {.send = [this](const std::string& agent,
                               const Message& message) { sent[agent].push_back(message); },
                .say = [this](const std::string& sentence) { said += sentence + "\n"; },
                .lost = [this](int node_rank) { lost.push_back(node_rank); }},
               now) {}

  void join(const std::string& agent, int node_rank = -1, int processes = 1) {
    rounds.receive(agent,
                   Join{.run = "run",
                        .version = kVersion,
                        .host = "host-" + agent,
                        .address = "10.0.0.1",
                        .node_rank = node_rank,
                        .processes = processes,
                        .store = {.port = 20000, .problem = {}}},
                   now);
    pass(0s);
  }
  void end(const std::string& agent, std::vector<int> exits) {
    const auto started = last<Start>(agent);
    Ended ended{
        .attempt = started->attempt, .exits = exits, .failures = {}, .now = seconds_since_1970()};
    for (const int exit : exits) {
      if (exit == 0 || exit == kStopped || exit == -SIGTERM) continue;
      ended.failures.push_back({.time = seconds_since_1970(),
                                .host = agent,
                                .rank = started->first_rank,
                                .exit_code = exit,
                                .error_file = {},
                                .message = "failed"});
    }
    rounds.receive(agent, ended, now);
    pass(0s);
  }
  void beat(const std::string& agent, bool running = true) {
    rounds.receive(agent, Beat{running}, now);
  }
  /// Lets time pass while `alive` are heard.
  void pass(Rounds::Clock::duration time, const std::vector<std::string>& alive = {}) {
    for (const auto last = now + time; now < last;) {
      now += 1s;
      for (const auto& agent : alive) beat(agent);
      rounds.tick(now);
    }
    rounds.tick(now);
  }

  /// The last message of a kind to an agent.
  template <typename Kind>
  std::optional<Kind> last(const std::string& agent) {
    std::optional<Kind> found;
    for (const auto& message : sent[agent]) {
      if (const auto* const kind = std::get_if<Kind>(&message)) found = *kind;
    }
    return found;
  }
  void forget() { sent.clear(); }
  std::optional<int> status() const {
    return rounds.outcome() ? std::optional(rounds.outcome()->status) : std::nullopt;
  }

  Rounds::Time now = Rounds::Clock::now();
  std::map<std::string, std::vector<Message>> sent;
  std::string said;
  std::vector<int> lost;
  Rounds rounds;
};

TEST(Rounds, StartOnceAllHostsAreThereInTheOrderOfTheirNodeRanks) {
  Bench bench({2, 2});
  bench.join("b", 1, 3);
  EXPECT_FALSE(bench.last<Start>("b"));
  bench.join("a", 0, 2);
  const auto a = bench.last<Start>("a"), b = bench.last<Start>("b");
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->first_rank, 0);
  EXPECT_EQ(b->first_rank, 2);
  EXPECT_EQ(b->group_rank, 1);
  EXPECT_EQ(b->world_size, 5);
  EXPECT_EQ(b->master_addr, "10.0.0.1");
  EXPECT_EQ(b->master_port, 20000);
  EXPECT_FALSE(b->resume);
}

TEST(Rounds, EndWithZeroOnlyWhenAllRanksDid) {
  Bench bench({2, 2});
  bench.join("a");
  bench.join("b");
  bench.end("a", {0});
  EXPECT_FALSE(bench.status());
  bench.end("b", {0});
  EXPECT_EQ(bench.status(), 0);
}

TEST(Rounds, EndWith75WhenRanksStoppedAfterACheckpoint) {
  Bench bench({1, 1}, 3);
  bench.join("a", 0, 2);
  bench.end("a", {kStopped, kStopped});
  EXPECT_EQ(bench.status(), kStopped);
}

TEST(Rounds, StopTheOthersAndReportWhenARankFails) {
  Bench bench({2, 2});
  bench.join("a");
  bench.join("b");
  bench.rounds.receive("b", Failed{0}, bench.now);
  ASSERT_TRUE(bench.last<Stop>("a"));
  EXPECT_EQ(bench.last<Stop>("a")->signal, SIGTERM);
  bench.end("b", {1});
  bench.end("a", {-SIGTERM});
  EXPECT_EQ(bench.status(), 1);
  EXPECT_THAT(bench.rounds.outcome()->report, HasSubstr("program FAILED"));
}

TEST(Rounds, RestartAsOftenAsAllowedAndThenFail) {
  Bench bench({1, 1}, 1);
  bench.join("a");
  bench.end("a", {1});
  const auto second = bench.last<Start>("a");
  EXPECT_EQ(second->attempt, 1);
  EXPECT_EQ(second->restarts, 1);
  EXPECT_TRUE(second->resume);
  bench.end("a", {1});
  EXPECT_EQ(bench.status(), 1);
}

TEST(Rounds, DoNotRestartWhatWasUsedWrongly) {
  Bench bench({1, 1}, 5);
  bench.join("a", 0, 2);
  bench.end("a", {kWrongUsage, kWrongUsage});
  EXPECT_EQ(bench.status(), kWrongUsage);
}

TEST(Rounds, TakeForWrongUsageWhatBeganWithIt) {
  Bench bench({1, 1}, 5);
  bench.join("a", 0, 2);
  bench.end("a", {kWrongUsage, 1});  // in the order of time
  EXPECT_EQ(bench.status(), kWrongUsage);
}

TEST(Rounds, DoNotRestartWhatThisMachineCannotRun) {
  Bench bench({1, 1}, 5);
  bench.join("a", 0, 2);
  bench.end("a", {kUnavailable, 1});
  EXPECT_EQ(bench.status(), kUnavailable);
}

TEST(Rounds, GoOnWithoutALostHostAndDoNotCountItAsARestart) {
  Bench bench({2, 3});
  for (const char* const agent : {"a", "b", "c"}) bench.join(agent);
  EXPECT_EQ(bench.last<Start>("c")->world_size, 3);
  bench.pass(6s, {"a", "b"});
  EXPECT_THAT(bench.said, HasSubstr("host host-c is lost"));
  ASSERT_TRUE(bench.last<Stop>("a"));
  bench.end("a", {1});  // fails for the lack of c
  bench.end("b", {-SIGTERM});
  EXPECT_FALSE(bench.status());
  bench.forget();
  bench.pass(6s, {"a", "b"});
  ASSERT_TRUE(bench.last<Start>("a"));
  EXPECT_EQ(bench.last<Start>("a")->world_size, 2);
  EXPECT_EQ(bench.last<Start>("a")->restarts, 0);
}

TEST(Rounds, TakeInAHostThatComesLaterAndGiveRanksTimeToSave) {
  Bench bench({1, 2});
  bench.join("a");
  bench.pass(6s, {"a"});
  EXPECT_EQ(bench.last<Start>("a")->world_size, 1);
  bench.join("b");
  EXPECT_GE(bench.last<Stop>("a")->grace_seconds, 60);
  bench.end("a", {kStopped});
  EXPECT_EQ(bench.last<Start>("a")->world_size, 2);
  EXPECT_EQ(bench.last<Start>("b")->world_size, 2);
  EXPECT_EQ(bench.last<Start>("b")->restarts, 0);
}

TEST(Rounds, FailWhenAHostIsLostAndNoneCanBeSpared) {
  Bench bench({2, 2});
  bench.join("a");
  bench.join("b");
  bench.rounds.receive("a", Failed{0}, bench.now);  // a notices the loss before we do
  bench.end("a", {1});
  EXPECT_FALSE(bench.status()) << "b, the cause, is not known to be lost yet";
  bench.pass(6s, {"a"});
  EXPECT_EQ(bench.status(), 1);
  const auto& report = bench.rounds.outcome()->report;
  EXPECT_THAT(report.substr(report.find("Root Cause")), HasSubstr("host-b"));
}

TEST(Rounds, NameTheNodeRanksThatDidNotCome) {
  Bench bench({3, 3});
  bench.join("b", 1);
  bench.pass(301s, {"b"});
  EXPECT_EQ(bench.status(), 1);
  EXPECT_THAT(bench.rounds.outcome()->report,
              testing::AllOf(HasSubstr("only 1 of 3 hosts"), HasSubstr("node rank 0"),
                             HasSubstr("node rank 2"), testing::Not(HasSubstr("node rank 1"))));
}

TEST(Rounds, RefuseAnotherRunAnotherVersionAndATakenNodeRank) {
  Bench bench({2, 2});
  bench.join("a", 0);
  Join other{
      .run = "other", .version = kVersion, .host = "x", .address = "10.0.0.2", .node_rank = 1};
  bench.rounds.receive("x", other, bench.now);
  EXPECT_THAT(bench.last<Refuse>("x")->reason, HasSubstr("--rdzv-id"));
  EXPECT_THAT(bench.last<Refuse>("x")->reason, Not(HasSubstr("'run'"))) << "tells the secret";
  other.run = "run";
  other.version = "0.0.0";
  bench.rounds.receive("y", other, bench.now);
  EXPECT_THAT(bench.last<Refuse>("y")->reason, HasSubstr("has yoke 0.0.0"));
  bench.join("z", 0);
  EXPECT_FALSE(bench.last<Refuse>("z")) << "a may be dead";
  bench.pass(1s, {"a"});
  bench.join("z", 0);
  EXPECT_THAT(bench.last<Refuse>("z")->reason, HasSubstr("host-a has it"));
}

TEST(Rounds, TakeNoNodeRankThatNoHostOfTheListHas) {
  Bench bench({2, 2}, 0, 0, {"one", "two"});
  for (const int node_rank : {-2, -1, 2}) {
    bench.join("stranger", node_rank);
    EXPECT_FALSE(bench.last<Welcome>("stranger")) << node_rank;
    EXPECT_THAT(bench.last<Refuse>("stranger")->reason, HasSubstr("allowed: 0 to 1"));
    bench.rounds.receive("stranger", Leave(), bench.now);
  }
  EXPECT_THAT(bench.lost, IsEmpty());
  bench.join("a", 1);
  EXPECT_TRUE(bench.last<Welcome>("a"));
}

TEST(Rounds, TakeNoNodeRankBelowThatOfAHostWithoutOne) {
  Bench bench({1, 2});
  bench.join("stranger", -2);
  EXPECT_FALSE(bench.last<Welcome>("stranger"));
  bench.join("a", -1);
  EXPECT_TRUE(bench.last<Welcome>("a"));
}

TEST(Rounds, GiveTheNodeRankOfADeadAgentToTheNext) {
  Bench bench({2, 2});
  bench.join("a", 0);
  bench.join("z", 0);
  bench.pass(6s);
  bench.join("z", 0);
  EXPECT_TRUE(bench.last<Welcome>("z"));
}

TEST(Rounds, PassASignalOnAndEndAtOnceAtTheSecond) {
  Bench bench({1, 1});
  bench.join("a");
  bench.rounds.stop(SIGINT, bench.now);
  EXPECT_EQ(bench.last<Signal>("a")->number, SIGINT);
  EXPECT_FALSE(bench.last<Stop>("a"));
  bench.rounds.stop(SIGINT, bench.now);
  EXPECT_EQ(bench.last<Stop>("a")->signal, SIGKILL);
  bench.end("a", {-SIGTERM});
  EXPECT_EQ(bench.status(), 128 + SIGINT);
}

TEST(Rounds, TellAnAgentThatWasGivenUpToStartOver) {
  Bench bench({1, 1});
  bench.rounds.receive("stranger", Beat(), bench.now);
  EXPECT_TRUE(bench.last<Unknown>("stranger"));
}

TEST(Rounds, StartOverWithAnAgentThatNeverGotItsStart) {
  Bench bench({2, 2}, 1);
  bench.join("a");
  bench.join("b");
  bench.forget();
  for (int second = 0; second < 7; ++second) {
    bench.beat("b", false);
    bench.pass(1s, {"a"});
  }
  EXPECT_THAT(bench.said, HasSubstr("host host-b is lost: it has no ranks"));
  EXPECT_TRUE(bench.last<Stop>("a"));
  bench.beat("b", false);
  EXPECT_TRUE(bench.last<Unknown>("b"));
  bench.end("a", {-SIGTERM});
  bench.join("b");
  EXPECT_EQ(bench.last<Start>("b")->attempt, 1);
}

TEST(Rounds, SayThatNothingWasHeardOfAnAgentThatWentBeforeItToldOfItsRanks) {
  Bench bench({2, 2});
  bench.join("a");
  bench.join("b");
  bench.pass(1s, {"a"});
  bench.beat("b", false);  // sent before its start came
  bench.pass(7s, {"a"});
  EXPECT_THAT(bench.said, HasSubstr("host host-b is lost: nothing heard of it for 5 s"));
}

TEST(Rounds, DoNotBlameHostsForThisProcessHavingSlept) {
  Bench bench({2, 2});
  bench.join("a");
  bench.join("b");
  bench.now += 1h;
  bench.rounds.tick(bench.now);
  EXPECT_THAT(bench.said, IsEmpty());
}

TEST(Rounds, SayWhyThePortOfRankZeroCannotBeHad) {
  Bench bench({1, 1});
  bench.rounds.receive("a",
                       Join{.run = "run",
                            .version = kVersion,
                            .host = "h",
                            .address = "10.0.0.1",
                            .store = {.port = 5, .problem = "port 5 is taken"}},
                       bench.now);
  bench.pass(0s);
  EXPECT_EQ(bench.status(), 1);
  EXPECT_EQ(bench.rounds.outcome()->report, "port 5 is taken");
}

TEST(Rounds, GoesOnWithoutRanksThatMayBeLost) {
  Bench bench({.least = 2, .most = 2}, 0, 2);
  bench.join("a", 0, 2);
  bench.join("b", 1, 3);
  bench.rounds.receive("b", Failed{.attempt = 0, .ranks = 1}, bench.now);
  bench.rounds.receive("b", Failed{.attempt = 0, .ranks = 2}, bench.now);
  EXPECT_FALSE(bench.last<Stop>("a"));
  EXPECT_THAT(bench.said, HasSubstr("2 lost, 2 may be"));
  bench.end("b", {1, 0, -SIGKILL});
  bench.end("a", {0, 0});
  ASSERT_TRUE(bench.rounds.outcome());
  EXPECT_EQ(bench.rounds.outcome()->status, 0);
  EXPECT_THAT(bench.rounds.outcome()->report, HasSubstr("done without rank 2 on host b"));
  EXPECT_THAT(bench.rounds.outcome()->report, Not(HasSubstr("FAILED")));
}

TEST(Rounds, EndsWhenMoreAreLostThanMayBe) {
  Bench bench({.least = 2, .most = 2}, 0, 1);
  bench.join("a", 0, 2);
  bench.join("b", 1, 2);
  bench.rounds.receive("a", Failed{.attempt = 0, .ranks = 1}, bench.now);
  EXPECT_FALSE(bench.last<Stop>("b"));
  bench.rounds.receive("b", Failed{.attempt = 0, .ranks = 1}, bench.now);
  EXPECT_TRUE(bench.last<Stop>("b"));
  bench.end("a", {1, -SIGTERM});
  bench.end("b", {1, -SIGTERM});
  ASSERT_TRUE(bench.rounds.outcome());
  EXPECT_EQ(bench.rounds.outcome()->status, 1);
}

TEST(Rounds, IsNoSuccessWhenNoneIsLeft) {
  Bench bench({.least = 1, .most = 1}, 0, 5);
  bench.join("a", 0, 2);
  bench.end("a", {1, 1});
  ASSERT_TRUE(bench.rounds.outcome());
  EXPECT_EQ(bench.rounds.outcome()->status, 1);
}

}  // namespace
}  // namespace yoke::launch
