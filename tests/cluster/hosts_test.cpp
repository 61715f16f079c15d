// Trainings over simulated hosts that are stopped, cut off and killed.
#include "tests/support/hosts.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <optional>
#include <regex>
#include <sstream>
#include <vector>

#include "tests/cluster/training.h"
#include "yoke/core/files/file.h"
#include "yoke/core/system/exit_status.h"
#include "yoke/train/checkpoints/checkpoint.h"

namespace yoke::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

constexpr int kSshPort = 22;

class ClusterOfHosts : public testing::Test {
 protected:
  void SetUp() override {
    const auto reason = Hosts::why_not();
    if (!reason.empty()) GTEST_SKIP() << reason;
    hosts_.emplace(3);
  }

  /// `yoke` with `arguments` on the first host, in a folder that all see.
  std::vector<std::string> yoke(const std::string& arguments) const {
    return hosts_->on(0, yoke_in(folder_.path(), arguments));
  }

  void train_alone(int epochs) const {
    const auto result = run_program(yoke_in(folder_.path(), training("alone", epochs)));
    ASSERT_EQ(result.status, 0) << result.output;
  }

  void expect_nothing_left() const {
    for (int host = 0; host < 3; ++host) {
      EXPECT_TRUE(comes_true([&] { return hosts_->processes(host).empty(); }))
          << Hosts::name(host) << " runs " << testing::PrintToString(hosts_->processes(host));
      // LLVM's OpenMP, under ThreadSanitizer, leaves a file of each killed process.
      EXPECT_EQ(run_program(hosts_->on(host, {"ls", "--ignore=__KMP_*", "/dev/shm"})).output, "");
    }
  }

  /// Waits until `ranks` ranks train together and have reported a step after `step`.
  bool trains(const fs::path& run, std::size_t ranks, std::int64_t step) const {
    return comes_true([&] {
      const auto processes = rank_processes(folder_.path());
      return processes.size() == ranks && processes.front().ranks == static_cast<int>(ranks) &&
             steps_reported(run) > step;
    });
  }

  /// The ports of the first host's `listening` sockets, as ss shows them, that the second one
  /// reaches.
  std::vector<int> reached_from_another_host(const std::string& listening) const {
    constexpr const char* kScan = R"py(
import socket, sys
ports = {line.split()[3].rsplit(":", 1)[1] for line in sys.argv[2].splitlines()}
assert len(ports) > 1, "there is nothing but ssh"
for port in sorted(map(int, ports)):
    try:
        socket.create_connection((sys.argv[1], port), timeout=0.5).close()
        print(port)
    except OSError:
        pass
)py";
    const auto result =
        run_program(hosts_->on(1, {"/usr/bin/python3", "-c", kScan, Hosts::address(0), listening}));
    EXPECT_EQ(result.status, 0) << result.output;
    std::vector<int> ports;
    std::istringstream lines(result.output);
    for (int port = 0; lines >> port;) ports.push_back(port);
    return ports;
  }

  /// Arguments and variables of all processes of `host`, and the files of the run.
  std::string told_to_others(int host) const {
    constexpr const char* kTell = R"py(
import glob
for file in glob.glob("/proc/[0-9]*/cmdline") + glob.glob("/proc/[0-9]*/environ"):
    try:
        print(open(file, "rb").read().replace(b"\0", b" ").decode(errors="replace"))
    except OSError:
        pass
)py";
    std::string all = run_program(hosts_->on(host, {"/usr/bin/python3", "-c", kTell})).output;
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path())) {
      if (entry.is_regular_file()) all += read_file(entry.path());
    }
    return all;
  }

  void send_ranks(int signal) const {
    for (const auto& rank : rank_processes(folder_.path())) ::kill(rank.pid, signal);
  }

  std::optional<Hosts> hosts_;
  TemporaryDirectory folder_;
};

TEST_F(ClusterOfHosts, TrainsAsOneProcessDoes) {
  constexpr int kEpochs = 5;
  ASSERT_NO_FATAL_FAILURE(train_alone(kEpochs));
  for (const std::string hosts : {"host1,host2,host3", "host1,host2:2"}) {
    const auto run = folder_.path() / hosts;
    const auto result = run_program(yoke("run --hosts " + hosts + " " + training(run, kEpochs)));
    ASSERT_EQ(result.status, 0) << result.output;
    expect_whole(run, kEpochs, 3);
    EXPECT_EQ(summary(run).at("comm"), "hierarchical");
    expect_close_runs(folder_.path() / "alone", run);
  }
  expect_nothing_left();
}

TEST_F(ClusterOfHosts, StopsADetachedTrainingAfterACheckpoint) {
  const auto run = folder_.path() / "run";
  const auto detached =
      run_program(yoke("run --detach --hosts host1,host2,host3 " +
                       training("run", 1000000, "--checkpoint-every 1000000steps")));
  ASSERT_EQ(detached.status, 0) << detached.output;
  ASSERT_TRUE(trains(run, 3, 0));
  const auto stopped = run_program(yoke("stop run"));
  EXPECT_EQ(stopped.status, 0) << stopped.output;
  EXPECT_THAT(stopped.output, HasSubstr("has ended on host1, host2, host3"));
  const auto json = summary(run);
  EXPECT_EQ(json.at("status"), "stopped");
  const auto newest = read_newest_good(run / "checkpoints", [](const std::string&) {});
  ASSERT_TRUE(newest.has_value());
  EXPECT_EQ(newest->step, json.at("steps"));
  expect_nothing_left();
}

TEST_F(ClusterOfHosts, CannotBeReachedFromOthersWhereAllRanksAreOnOne) {
  for (const std::string comm : {"shared-memory", "gloo"}) {
    BackgroundProgram training_run(
        yoke(fmt::format("run -np 2 {}", training(comm, 1000000, "--comm " + comm))));
    ASSERT_TRUE(trains(folder_.path() / comm, 2, 0)) << training_run.output();
    const auto listening = run_program(hosts_->on(0, {"ss", "-Hltn"})).output;
    EXPECT_EQ(reached_from_another_host(listening), std::vector{kSshPort}) << listening;
    send_ranks(SIGTERM);
    EXPECT_EQ(training_run.wait().status, kStopped);
  }
  expect_nothing_left();
}

TEST_F(ClusterOfHosts, ListensToOthersForCoordinatorAndStoreAloneOnceRanksHaveMet) {
  BackgroundProgram training_run(
      yoke("run --hosts host1,host3 " + training("run", 1000000, "--comm gloo")));
  ASSERT_TRUE(trains(folder_.path() / "run", 2, 0)) << training_run.output();
  const auto listening = run_program(hosts_->on(0, {"ss", "-Hltn"})).output;
  EXPECT_EQ(reached_from_another_host(listening).size(), 3) << "ssh and two more:\n" << listening;
  send_ranks(SIGTERM);
  EXPECT_EQ(training_run.wait().status, kStopped);
  expect_nothing_left();
}

TEST_F(ClusterOfHosts, ListenWhereTheyAreNamedAloneWhenStartedByHand) {
  const auto key = (folder_.path() / "key").string();
  const BackgroundProgram waiting(yoke(
      fmt::format("run --nnodes 2 --node-rank 0 --rdzv-endpoint {}:29411 --rdzv-key {} -- true",
                  Hosts::address(0), key)));
  std::string listening;
  ASSERT_TRUE(comes_true([&] {
    listening = run_program(hosts_->on(0, {"ss", "-Hltn", "sport = :29411"})).output;
    return !listening.empty();
  })) << waiting.output();
  EXPECT_THAT(listening, HasSubstr(Hosts::address(0)));
  EXPECT_EQ(std::count(listening.begin(), listening.end(), '\n'), 1) << listening;
}

TEST_F(ClusterOfHosts, TellTheirKeyByTheStandardInputOfSshAlone) {
  const TemporaryDirectory tap;
  const auto order = tap.path() / "order";
  write_file(tap.path() / "ssh",
             fmt::format("#!/bin/bash\nexec /usr/bin/ssh \"$@\" < <(tee -a {})\n", order.string()));
  fs::permissions(tap.path() / "ssh", fs::perms::owner_all);
  BackgroundProgram training_run(
      hosts_->on(0, yoke_in(folder_.path(), "run --hosts host1,host3 " + training("run", 1000000),
                            tap.path().string())));
  ASSERT_TRUE(trains(folder_.path() / "run", 2, 0)) << training_run.output();
  const std::string ordered = read_file(order);
  const std::regex key("\"([^\"]{40})\"");
  const std::sregex_iterator first(ordered.begin(), ordered.end(), key), end;
  EXPECT_GE(std::distance(first, end), 2) << "keys in " << ordered;
  for (const int host : {0, 2}) {
    const auto told = told_to_others(host);
    const auto tells = [&](const std::string& words) {
      return told.find(words) != std::string::npos;  // and not shown: it has all variables
    };
    EXPECT_TRUE(tells("train --model")) << "nothing of the run is seen";
    for (auto found = first; found != end; ++found) EXPECT_FALSE(tells((*found)[1].str()));
  }
  send_ranks(SIGTERM);
  EXPECT_EQ(training_run.wait().status, kStopped);
  expect_nothing_left();
}

// The link is slow so that the run does not end before the host is gone.
TEST_F(ClusterOfHosts, GoesOnWithTwoHostsAndThenWithThreeWhenALinkIsCut) {
  constexpr int kEpochs = 12;  // at some ten steps a second
  ASSERT_NO_FATAL_FAILURE(train_alone(kEpochs));
  const auto run = folder_.path() / "run";
  BackgroundProgram program(
      yoke("run --nnodes 2:3 --heartbeat-timeout 2 --rdzv-conf last_call_timeout=1 "
           "--hosts host1,host2,host3 " +
           training("run", kEpochs,
                    "--checkpoint-every 5steps "
                    "--comm throttle:over=hierarchical,latency_milliseconds=5")));
  ASSERT_TRUE(trains(run, 3, 12)) << program.output();
  hosts_->cut(2);
  ASSERT_TRUE(comes_true([&] { return rank_processes(folder_.path()).size() < 3; }));
  ASSERT_TRUE(trains(run, 2, steps_reported(run))) << program.output();
  send_ranks(SIGSTOP);  // so that the run does not end before the host is back
  hosts_->restore(2);
  ASSERT_TRUE(comes_true([&] {  // it may have joined before, too: as the last of the first start
    const auto output = program.output();
    const auto lost = output.find("host host3 is lost");
    return lost != std::string::npos && output.find("host host3 joins", lost) != std::string::npos;
  })) << program.output();
  send_ranks(SIGCONT);
  ASSERT_TRUE(comes_true([&] {
    const auto ranks = rank_processes(folder_.path());
    return ranks.size() == 3 && ranks.front().ranks == 3;
  })) << program.output();
  const auto result = program.wait();
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, AllOf(HasSubstr("host host3 is lost"), HasSubstr("host host3 joins")));
  expect_whole(run, kEpochs, 3);
  EXPECT_NEAR(summary(run).at("val_top1").get<double>(),
              summary(folder_.path() / "alone").at("val_top1").get<double>(), 0.05);
  expect_nothing_left();
}

// Each host has a disk of its own: only the first holds checkpoints and the run's configuration.
TEST_F(ClusterOfHosts, EndsBitForBitTheSameWhenAnAgentAndItsRankWereKilled) {
  constexpr int kEpochs = 25;
  const auto start = [&](const std::string& launch, const std::string& out) {
    return yoke("run --hosts host1,host2,host3 " + launch + " " +
                training("/run/" + out, kEpochs, "--checkpoint-every 5steps"));
  };
  const auto undisturbed = run_program(start("", "undisturbed"));
  ASSERT_EQ(undisturbed.status, 0) << undisturbed.output;
  BackgroundProgram program(start("--max-restarts 5", "killed"));
  ASSERT_TRUE(comes_true([&] { return rank_processes(folder_.path()).size() == 3; }))
      << program.output();
  const auto ranks = rank_processes(folder_.path());
  const fs::path first = fmt::format("/proc/{}/root/run/killed", ranks[0].pid);
  ASSERT_TRUE(comes_true([&] { return steps_reported(first) >= 33; })) << program.output();
  ::kill(ranks[2].parent, SIGKILL);
  ::kill(ranks[2].pid, SIGKILL);
  const auto result = program.wait();
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, AllOf(HasSubstr("host host3 is lost"), HasSubstr("restart 1 of 5")));
  const auto copied = run_program(
      hosts_->on(0, {"cp", "-r", "/run/undisturbed", "/run/killed", folder_.path().string()}));
  ASSERT_EQ(copied.status, 0) << copied.output;
  expect_whole(folder_.path() / "killed", kEpochs, 3);
  expect_same_runs(folder_.path() / "undisturbed", folder_.path() / "killed");
  expect_nothing_left();
}

}  // namespace
}  // namespace yoke::test
