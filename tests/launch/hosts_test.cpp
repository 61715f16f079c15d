// `yoke run --hosts` over real ssh servers on simulated hosts.
#include "tests/support/hosts.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>

#include "yoke/core/files/file.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;
using test::BackgroundProgram;
using test::comes_true;
using test::Hosts;
using test::run_program;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class LaunchOnHosts : public testing::Test {
 protected:
  void SetUp() override {
    const auto reason = Hosts::why_not();
    if (!reason.empty()) GTEST_SKIP() << reason;
    hosts_.emplace(3);
  }

  /// `yoke` with `arguments` on a host, in a folder of this test, which all hosts see.
  std::vector<std::string> yoke(const std::string& arguments, int host = 0) const {
    return hosts_->on(
        host,
        {"env", "HOME=" + folder_.path().string(), "XDG_RUNTIME_DIR=", "sh", "-c",
         fmt::format("cd {} && exec {} {}", folder_.path().string(), YOKE_PROGRAM, arguments)});
  }

  /// Whether some file `started-WORLD-RANK` is there for each rank of a world of that size.
  bool started(int world) const {
    for (int rank = 0; rank < world; ++rank) {
      if (!fs::exists(folder_.path() / fmt::format("started-{}-{}", world, rank))) return false;
    }
    return true;
  }

  void expect_nothing_left(int host) const {
    EXPECT_TRUE(comes_true([&] { return hosts_->processes(host).empty(); }))
        << Hosts::name(host) << " still runs " << testing::PrintToString(hosts_->processes(host));
  }

  std::optional<Hosts> hosts_;
  test::TemporaryDirectory folder_;
};

/// A rank that says that it started, and runs until it is told to stop or finds a file `enough`.
constexpr const char* kRank =
    "-- sh -c 'trap \"exit 75\" TERM; touch started-$WORLD_SIZE-$RANK; "
    "while [ ! -e enough ]; do sleep 0.05; done; echo finished of $WORLD_SIZE'";

TEST_F(LaunchOnHosts, StartsRanksOnEveryHostOverSsh) {
  const auto result = run_program(yoke(
      "run --hosts host1:2,host2,host3:2 -- "
      "sh -c 'echo rank $RANK of $WORLD_SIZE local $LOCAL_RANK on $(hostname) at $MASTER_ADDR'"));
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output,
              AllOf(HasSubstr("[default0]:rank 0 of 5 local 0 on host1 at 10.78.0.1"),
                    HasSubstr("[default1]:rank 1 of 5 local 1 on host1 at 10.78.0.1"),
                    HasSubstr("[default0]:rank 2 of 5 local 0 on host2 at 10.78.0.1"),
                    HasSubstr("[default1]:rank 4 of 5 local 1 on host3 at 10.78.0.1")));
}

TEST_F(LaunchOnHosts, AreLookedAtBeforeTheyTrain) {
  const auto good = run_program(yoke("doctor --hosts host1,host2,host3"));
  EXPECT_EQ(good.status, 0) << good.output;
  for (int host = 0; host < 3; ++host) {
    EXPECT_THAT(good.output, testing::ContainsRegex("ok +" + Hosts::name(host) + " +yoke "));
    EXPECT_THAT(good.output,
                testing::ContainsRegex("ok +" + Hosts::name(host) + " +clock like here"));
  }
  EXPECT_THAT(good.output, Not(HasSubstr("fail")));
}

TEST_F(LaunchOnHosts, ListensOnlyWhereItsAgentsCome) {
  const auto result = run_program(
      yoke("run --hosts host1,host2,host3 -- sh -c 'ss -Hltnp | grep yoke | while read state "
           "received sent address rest; do echo listens at $address; done'"));
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, testing::ContainsRegex("listens at .*10[.]78[.]0[.]1"));
  for (const char* const any : {"at 0.0.0.0:", "at *:", "at [::]:"}) {
    EXPECT_THAT(result.output, Not(HasSubstr(any)));
  }
}

TEST_F(LaunchOnHosts, NamesTheHostThatFailedFirst) {
  const auto result = run_program(
      yoke("run --hosts host1,host2,host3 -- sh -c '[ $RANK = 2 ] && exit 7; sleep 1000'"));
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.output,
              AllOf(HasSubstr("Root Cause"), HasSubstr("host      : host3"),
                    HasSubstr("rank      : 2 (local_rank: 0)"), HasSubstr("exitcode  : 7 ")));
  for (int host = 0; host < 3; ++host) expect_nothing_left(host);
}

TEST_F(LaunchOnHosts, StopsADetachedRunOnEveryHost) {
  const auto started_run = run_program(
      yoke(fmt::format("run --detach --log-dir logs --hosts host1,host2,host3 {}", kRank)));
  ASSERT_EQ(started_run.status, 0) << started_run.output;
  ASSERT_TRUE(comes_true([&] { return started(3); }))
      << read_file(folder_.path() / "logs" / "console.log");
  for (int host = 0; host < 3; ++host) EXPECT_THAT(hosts_->processes(host), Not(IsEmpty()));
  const auto stopped = run_program(yoke("stop"));
  EXPECT_EQ(stopped.status, 0) << stopped.output;
  EXPECT_THAT(stopped.output, HasSubstr("has ended on host1, host2, host3"));
  for (int host = 0; host < 3; ++host) expect_nothing_left(host);
}

TEST_F(LaunchOnHosts, GoesOnWithTwoHostsWhenOneIsCutAndWithThreeWhenItIsBack) {
  BackgroundProgram run(
      yoke(fmt::format("run --nnodes 2:3 --heartbeat-timeout 2 --rdzv-conf last_call_timeout=1 "
                       "--log-dir logs --hosts host1,host2,host3 {}",
                       kRank)));
  ASSERT_TRUE(comes_true([&] { return started(3); })) << run.output();
  hosts_->cut(2);
  ASSERT_TRUE(comes_true([&] { return started(2); })) << run.output();
  expect_nothing_left(2);  // its own agent notices, too
  for (int rank = 0; rank < 3; ++rank) {
    fs::remove(folder_.path() / fmt::format("started-3-{}", rank));
  }
  hosts_->restore(2);
  ASSERT_TRUE(comes_true([&] { return started(3); })) << run.output();
  write_file(folder_.path() / "enough", "");
  const auto result = run.wait();
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, AllOf(HasSubstr("host host3 is lost"), HasSubstr("host host3 joins"),
                                   HasSubstr("finished of 3")));
}

TEST_F(LaunchOnHosts, JoinsAgainByHandAfterItsLinkWasCut) {
  const auto command = [](int node_rank) {
    return fmt::format(
        "run --nnodes 1:2 -nr {0} --master-addr host1 --heartbeat-timeout 2 --rdzv-conf "
        "last_call_timeout=3 --log-dir logs{0} {1}",
        node_rank, kRank);
  };
  BackgroundProgram first(yoke(command(0), 0)), second(yoke(command(1), 1));
  ASSERT_TRUE(comes_true([&] { return started(2); })) << first.output() << second.output();
  hosts_->cut(1);
  ASSERT_TRUE(comes_true([&] { return started(1); })) << first.output();
  ASSERT_TRUE(comes_true([&] { return second.output().find("lost") != std::string::npos; }));
  for (int rank = 0; rank < 2; ++rank) {
    fs::remove(folder_.path() / fmt::format("started-2-{}", rank));
  }
  hosts_->restore(1);
  ASSERT_TRUE(comes_true([&] { return started(2); })) << first.output() << second.output();
  write_file(folder_.path() / "enough", "");
  const auto first_result = first.wait(), second_result = second.wait();
  EXPECT_EQ(first_result.status, 0) << first_result.output;
  EXPECT_EQ(second_result.status, 0) << second_result.output;
  EXPECT_THAT(second_result.output,
              AllOf(HasSubstr("host host2 lost the coordinator"), HasSubstr("finished of 2")));
}

TEST_F(LaunchOnHosts, NamesAHostThatCannotBeReached) {
  const auto result = run_program(yoke("run --hosts host1,10.78.0.99 -- sh -c 'sleep 1000'"));
  EXPECT_EQ(result.status, 1) << result.output;
  EXPECT_THAT(result.output,
              AllOf(HasSubstr("cannot start an agent on host 10.78.0.99"),
                    HasSubstr("ssh: connect to host"), HasSubstr("ssh 10.78.0.99 true")));
}

TEST_F(LaunchOnHosts, EndsEverywhereWhenTheFrontIsKilled) {
  const auto detached = run_program(
      yoke(fmt::format("run --detach --log-dir logs --hosts host1,host2,host3 {}", kRank)));
  ASSERT_EQ(detached.status, 0) << detached.output;
  ASSERT_TRUE(comes_true([&] { return started(3); }));
  const auto killed = run_program(hosts_->on(0, {"pkill", "-KILL", "-o", "-x", "yoke"}));
  ASSERT_EQ(killed.status, 0) << killed.output;
  for (int host = 0; host < 3; ++host) expect_nothing_left(host);
}

TEST_F(LaunchOnHosts, RefusesAnAddressThatOtherHostsCannotReach) {
  const auto result =
      run_program(yoke("run --local-addr 127.0.0.1 --hosts host1,host2 -- sh -c true"));
  EXPECT_NE(result.status, 0);
  EXPECT_THAT(result.output, HasSubstr("which every host has for itself"));
}

TEST_F(LaunchOnHosts, RunsAlsoWhenLinksAreSlow) {
  ASSERT_TRUE(hosts_->shape(1, "tbf rate 1mbit burst 32kb latency 400ms"));
  const auto result = run_program(yoke("run --hosts host1,host2 -- sh -c 'echo rank $RANK'"));
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, AllOf(HasSubstr("rank 0"), HasSubstr("rank 1")));
}

}  // namespace
}  // namespace yoke
