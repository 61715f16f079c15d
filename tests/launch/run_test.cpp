// `yoke run` as a user runs it, on one host.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>

#include <csignal>
#include <filesystem>
#include <sstream>

#include "tests/support/support.h"
#include "yoke/core/files/file.h"
#include "yoke/launch/network.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;
using test::BackgroundProgram;
using test::comes_true;
using test::ProgramResult;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class YokeRun : public testing::Test {
 protected:
  /// `yoke run` with `arguments`, words of a shell, in the folder of this test.
  std::vector<std::string> words(const std::string& arguments) const {
    return {"env", "XDG_RUNTIME_DIR=" + folder_.path().string(), "sh", "-c",
            fmt::format("cd {} && exec {} {}", folder_.path().string(), YOKE_PROGRAM, arguments)};
  }
  ProgramResult run(const std::string& arguments) const {
    return test::run_program(words("run " + arguments));
  }
  bool exists(const std::string& name) const { return fs::exists(folder_.path() / name); }
  std::string read(const std::string& name) const { return read_file(folder_.path() / name); }
  /// The process whose number is in a file; 0 while it is not.
  int pid_in(const std::string& name) const {
    return exists(name) && !read(name).empty() ? std::stoi(read(name)) : 0;
  }
  static bool is_gone(int pid) { return ::kill(pid, 0) != 0; }

  test::TemporaryDirectory folder_;
};

TEST_F(YokeRun, TellsEachRankWhoItIs) {
  const auto result =
      run("-np 3 -- sh -c 'echo $RANK/$WORLD_SIZE $LOCAL_RANK/$LOCAL_WORLD_SIZE "
          "$TORCHELASTIC_RESTART_COUNT $MASTER_ADDR'");
  EXPECT_EQ(result.status, 0) << result.output;
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_THAT(result.output,
                HasSubstr(fmt::format("[default{0}]:{0}/3 {0}/3 0 127.0.0.1\n", rank)));
  }
}

TEST_F(YokeRun, KeepsWholeLinesAndAllOutputOfManyRanks) {
  const auto result =
      run("-np 4 --log-dir logs -- sh -c 'for i in $(seq 2000); do echo line $i of $RANK; done; "
          "printf last' 2>/dev/null");
  EXPECT_EQ(result.status, 0);
  std::istringstream lines(result.output);
  int count = 0, last = 0;
  for (std::string line; std::getline(lines, line);) {
    EXPECT_TRUE(line.starts_with("[default")) << line;
    count += line.find("]:line ") != std::string::npos ? 1 : 0;
    last += line.ends_with("]:last") ? 1 : 0;
  }
  EXPECT_EQ(count, 4 * 2000);
  EXPECT_EQ(last, 4);
  EXPECT_THAT(read("logs/attempt-0/rank-3/stdout.log"), testing::EndsWith("line 2000 of 3\nlast"));
}

TEST_F(YokeRun, ShowsWhatRedirectsTeeAndFilterLeave) {
  const std::string rank = "-- sh -c 'echo out$RANK; echo err$RANK >&2'";
  const auto redirected = run("-np 2 -r 0:1,1:3 -t 1:1 " + rank).output;
  EXPECT_THAT(redirected, AllOf(Not(HasSubstr("out0")), HasSubstr("err0"), HasSubstr("out1"),
                                Not(HasSubstr("err1"))));
  const auto filtered = run("-np 2 --local_ranks_filter=1 --log-dir logs " + rank).output;
  EXPECT_THAT(filtered, AllOf(Not(HasSubstr("out0")), HasSubstr("out1"), HasSubstr("err1")));
  EXPECT_EQ(read("logs/attempt-0/rank-0/stdout.log"), "out0\n");
}

TEST_F(YokeRun, ReportsTheFirstFailureAndEndsAllProcessesOfAllRanks) {
  const auto result =
      run("-np 3 -- sh -c 'if [ $RANK = 1 ]; then while [ ! -s pid0 ] || [ ! -s pid2 ]; do sleep "
          "0.01; done; "
          "echo bad layer >&2; exit 3; fi; (setsid sleep 1000 & echo $! >pid$RANK); "
          "trap \"\" TERM; sleep 1000'");
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.output,
              AllOf(HasSubstr("sh FAILED"), HasSubstr("<NO_OTHER_FAILURES>"),
                    HasSubstr("Root Cause (first observed failure):"),
                    HasSubstr("rank      : 1 (local_rank: 1)"), HasSubstr("exitcode  : 3 (pid: "),
                    HasSubstr("    bad layer\n")));
  EXPECT_TRUE(is_gone(pid_in("pid0")));  // in sessions of their own
  EXPECT_TRUE(is_gone(pid_in("pid2")));
}

TEST_F(YokeRun, HasReapedAllProcessesWhenItEnds) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // what it leaves, even if dead, stays as a child of this one
  for (int round = 0; round < 5; ++round) {
    BackgroundProgram program(
        words("run -np 1 -- sh -c 'trap \"touch asked\" TERM; rm -f asked; echo >pids; "
              "for i in $(seq 50); do setsid sleep 1000 & echo $! >>pids; done; echo 0 >>pids; "
              "while true; do sleep 0.01; done'"));
    ASSERT_TRUE(comes_true([&] { return exists("pids") && read("pids").ends_with("\n0\n"); }));
    program.send(SIGTERM);
    ASSERT_TRUE(comes_true([&] { return exists("asked"); }));
    program.send(SIGTERM);
    EXPECT_EQ(program.wait().status, 128 + SIGTERM);
    std::istringstream pids(read("pids"));
    for (int pid = 0; pids >> pid && pid > 0;) EXPECT_TRUE(is_gone(pid)) << "round " << round;
    fs::remove(folder_.path() / "pids");
  }
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
}

TEST_F(YokeRun, TakesTheEarlierErrorFileForTheRootCauseThoughItsRankEndsLater) {
  const auto result = run(
      "-np 2 -- sh -c 'if [ $RANK = 0 ]; then trap \"\" TERM; "
      "printf \"{\\\"message\\\": {\\\"message\\\": \\\"cause\\\", \\\"extraInfo\\\": "
      "{\\\"timestamp\\\": \\\"%s\\\"}}}\" $(date +%s.%N) > $TORCHELASTIC_ERROR_FILE; touch wrote; "
      "while [ ! -e failed ]; do sleep 0.01; done; sleep 0.2; exit 1; fi; "
      "while [ ! -e wrote ]; do sleep 0.01; done; touch failed; exit 1'");
  EXPECT_EQ(result.status, 1);
  const auto root = result.output.substr(result.output.find("Root Cause"));
  EXPECT_THAT(root, AllOf(HasSubstr("rank      : 0"), HasSubstr("traceback : cause"),
                          HasSubstr("attempt-0/rank-0/error.json")));
}

TEST_F(YokeRun, SaysWhichSignalKilledARank) {
  const auto result = run("-np 1 -- sh -c 'kill -KILL $$'");
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.output, AllOf(HasSubstr("exitcode  : -9 (pid: "),
                                   HasSubstr("Signal 9 (SIGKILL) received by PID")));
}

TEST_F(YokeRun, StartsAgainAfterAFailureAndCountsTheRestarts) {
  const auto result = run(
      "-np 2 --max-restarts 3 --log-dir logs -- sh -c 'echo attempt $TORCHELASTIC_RESTART_COUNT of "
      "$TORCHELASTIC_MAX_RESTARTS; [ $TORCHELASTIC_RESTART_COUNT = 2 ]'");
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("restart 2 of 3"));
  EXPECT_EQ(read("logs/attempt-2/rank-1/stdout.log"), "attempt 2 of 3\n");
  EXPECT_FALSE(exists("logs/attempt-3"));
}

TEST_F(YokeRun, GoesOnWithoutAsManyRanksAsMayBeLost) {
  const auto good =
      run("-np 3 --max-lost 1 -- sh -c 'if [ $RANK = 1 ]; then touch lost; kill -KILL $$; fi; "
          "while [ ! -e lost ]; do sleep 0.01; done; sleep 1; touch done-$RANK'");
  EXPECT_EQ(good.status, 0) << good.output;
  EXPECT_TRUE(exists("done-0") && exists("done-2"));
  EXPECT_THAT(good.output, HasSubstr("done without rank 1"));
  EXPECT_THAT(good.output, HasSubstr("1 lost, 1 may be"));
  const auto bad = run("-np 3 --max-lost 1 -- sh -c '[ $RANK = 0 ] && sleep 60; exit 1'");
  EXPECT_EQ(bad.status, 1);
  EXPECT_THAT(bad.output, HasSubstr("FAILED"));
}

TEST_F(YokeRun, PassesTheRanksExitStatusOnWhereItHasAMeaning) {
  EXPECT_EQ(run("-np 2 -- true").status, 0);
  EXPECT_EQ(run("-np 2 -- sh -c 'exit 75'").status, 75);
  EXPECT_EQ(run("-np 2 --max-restarts 9 -- sh -c 'exit 2'").status, 2);
  EXPECT_EQ(run("-np 2 -- sh -c 'exit 200'").status, 1);
}

TEST_F(YokeRun, SaysOnceWhatEveryRankOfAYokeCommandRefuses) {
  const auto result = run("-np 3 --max-restarts 5 train --out run --modle lenet");
  EXPECT_EQ(result.status, 2);
  const auto first = result.output.find("--modle");
  ASSERT_NE(first, std::string::npos) << result.output;
  EXPECT_EQ(result.output.find("not expected: --modle", first + 1), std::string::npos)
      << result.output;
}

TEST_F(YokeRun, RefusesAProgramThatIsNotThere) {
  const auto result = run("-np 2 -- ./nothing");
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.output, HasSubstr("cannot run './nothing': No such file"));
}

TEST_F(YokeRun, ForwardsASignalWaitsForTheCheckpointAndReturns75) {
  for (const int signal : {SIGTERM, SIGINT, SIGUSR1}) {
    BackgroundProgram program(
        words("run -np 2 -- sh -c 'trap \"sleep 0.2; echo saved; exit 75\" TERM INT USR1; "
              "echo ready >>ready; while true; do sleep 0.01; done'"));
    ASSERT_TRUE(comes_true([&] { return exists("ready") && read("ready") == "ready\nready\n"; }));
    program.send(signal);
    const auto result = program.wait();
    EXPECT_EQ(result.status, 75) << result.output;
    EXPECT_THAT(result.output, AllOf(HasSubstr("[default0]:saved"), HasSubstr("[default1]:saved")));
    fs::remove(folder_.path() / "ready");
  }
}

TEST_F(YokeRun, EndsAtOnceAtASecondSignal) {
  BackgroundProgram program(
      words("run -np 2 -- sh -c 'trap \"touch asked\" TERM; echo $$ >pid$RANK; "
            "while true; do sleep 0.01; done'"));
  ASSERT_TRUE(comes_true([&] { return pid_in("pid0") > 0 && pid_in("pid1") > 0; }));
  program.send(SIGTERM);
  ASSERT_TRUE(comes_true([&] { return exists("asked"); }));
  program.send(SIGTERM);
  EXPECT_EQ(program.wait().status, 128 + SIGTERM);
  EXPECT_TRUE(is_gone(pid_in("pid0")));
}

TEST_F(YokeRun, LeavesNothingBehindWhenItIsKilled) {
  BackgroundProgram program(
      words("run -np 2 -- sh -c 'setsid sh -c \"echo \\$\\$ >pid$RANK; exec sleep 1000\" & wait'"));
  ASSERT_TRUE(comes_true([&] { return pid_in("pid0") > 0 && pid_in("pid1") > 0; }));
  program.send(SIGKILL);
  program.wait();
  EXPECT_TRUE(comes_true([&] { return is_gone(pid_in("pid0")) && is_gone(pid_in("pid1")); }));
}

/// A rank that leaves a file as a killed one leaves memory that it has not shared yet.
std::string leaving_memory(const std::string& name, const std::string& then) {
  return fmt::format("-- sh -c 'touch /dev/shm/yoke-{} left; {}'", name, then);
}

TEST_F(YokeRun, TakesAwayTheSharedMemoryThatARankHasLeft) {
  const std::string name = folder_.path().filename().string() + "-killed";
  EXPECT_EQ(run(leaving_memory(name, "kill -9 $$")).status, 1);
  EXPECT_TRUE(exists("left"));
  EXPECT_FALSE(fs::exists("/dev/shm/yoke-" + name));
}

TEST_F(YokeRun, LeavesNoSharedMemoryWhenItIsKilled) {
  const std::string name = folder_.path().filename().string() + "-orphan";
  const BackgroundProgram program(words("run " + leaving_memory(name, "sleep 1000")));
  ASSERT_TRUE(comes_true([&] { return exists("left"); }));
  program.send(SIGKILL);
  EXPECT_TRUE(comes_true([&] { return !fs::exists("/dev/shm/yoke-" + name); }));
}

TEST_F(YokeRun, OutlivesItsTerminalAndIsStoppedByName) {
  const auto rank =
      "-- sh -c 'trap \"echo saved; exit 75\" TERM; touch ready; while true; do sleep 0.01; done'";
  const auto detached = run(fmt::format("--detach --log-dir logs {}", rank));
  ASSERT_EQ(detached.status, 0) << detached.output;
  EXPECT_THAT(detached.output,
              AllOf(HasSubstr("pid"), HasSubstr("yoke stop"), HasSubstr("logs/console.log")));
  ASSERT_TRUE(comes_true([&] { return exists("ready"); }));
  EXPECT_EQ(test::run_program(words("stop nonsense")).status, 2);
  const auto stopped = test::run_program(words("stop logs"));
  EXPECT_EQ(stopped.status, 0) << stopped.output;
  EXPECT_THAT(read("logs/console.log"), HasSubstr("saved"));
  const auto again = test::run_program(words("stop"));
  EXPECT_EQ(again.status, 2);
  EXPECT_THAT(again.output, HasSubstr("no run"));
}

TEST_F(YokeRun, ListsTheRunsWhenSeveralCouldBeMeant) {
  for (int run_number = 0; run_number < 2; ++run_number) {
    ASSERT_EQ(run("--detach -- sleep 1000").status, 0);
  }
  const auto unclear = test::run_program(words("stop"));
  EXPECT_EQ(unclear.status, 2);
  EXPECT_THAT(unclear.output, AllOf(HasSubstr("several runs"), HasSubstr("sleep 1000")));
  for (const auto& entry : fs::directory_iterator(folder_.path() / "yoke" / "runs")) {
    const auto id = entry.path().stem().string();
    EXPECT_EQ(test::run_program(words("stop --now " + id)).status, 0);
  }
}

TEST_F(YokeRun, MeetsHostsThatAreStartedByHand) {
  const int port = launch::free_port();
  const auto host = [&](int node_rank, int processes) {
    return words(fmt::format(
        "run -n 2 -np {} -nr {} --rdzv-endpoint 127.0.0.1:{} --rdzv-key key --log-dir logs{} "
        "-- sh -c 'echo $RANK of $WORLD_SIZE in $GROUP_RANK'",
        processes, node_rank, port, node_rank));
  };
  BackgroundProgram other(host(1, 1));
  const auto result = test::run_program(host(0, 2));
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, AllOf(HasSubstr("0 of 3 in 0"), HasSubstr("1 of 3 in 0")));
  const auto other_result = other.wait();
  EXPECT_EQ(other_result.status, 0) << other_result.output;
  EXPECT_THAT(other_result.output, HasSubstr("2 of 3 in 1"));
}

TEST_F(YokeRun, NamesTheHostWhoseAgentWasKilledAndEndsTheOtherOne) {
  const int port = launch::free_port();
  const auto host = [&](int node_rank) {
    return words(fmt::format(
        "run -n 2 -nr {0} --rdzv-endpoint 127.0.0.1:{1} --rdzv-key key --log-dir logs{0} "
        "--heartbeat-timeout 5 -- sh -c 'echo $$ >pid$RANK; exec sleep 1000'",
        node_rank, port));
  };
  BackgroundProgram first(host(0)), second(host(1));
  ASSERT_TRUE(comes_true([&] { return pid_in("pid0") > 0 && pid_in("pid1") > 0; }));
  second.send(SIGKILL);
  const auto result = first.wait();
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.output, HasSubstr("nothing heard of it for 5 s"));
  EXPECT_TRUE(is_gone(pid_in("pid0")));
  EXPECT_TRUE(comes_true([&] { return is_gone(pid_in("pid1")); }));
}

TEST_F(YokeRun, SaysWhichHostsDidNotCome) {
  const auto result = run(fmt::format(
      "-n 3 -nr 0 --rdzv-conf join_timeout=3 --rdzv-endpoint 127.0.0.1:{} --rdzv-key key -- true",
      launch::free_port()));
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.output, AllOf(HasSubstr("only 1 of 3 hosts"), HasSubstr("node rank 1"),
                                   HasSubstr("node rank 2")));
}

TEST_F(YokeRun, SaysThatThePortItWasGivenIsTaken) {
  BackgroundProgram holder(
      {"/usr/bin/python3", "-c",
       "import socket, time\ns = socket.socket()\ns.bind(('', 0))\ns.listen()\n"
       "print(s.getsockname()[1], flush=True)\ntime.sleep(1000)"});
  ASSERT_TRUE(comes_true([&] { return holder.output().ends_with('\n'); }));
  const int port = std::stoi(holder.output());
  const auto result = run(fmt::format("--master-port {} -- true", port));
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.output, AllOf(HasSubstr(fmt::format("port {}", port)), HasSubstr("taken"),
                                   HasSubstr("ss -ltnp")));
}

/// Kills the first of the ranks that `yoke run` has started; false where there is none.
bool kill_first_rank(const BackgroundProgram& run) {
  const auto ranks = read_file(fmt::format("/proc/{0}/task/{0}/children", run.pid()));
  return !ranks.empty() && ::kill(std::stoi(ranks), SIGKILL) == 0;
}

TEST_F(YokeRun, GoesOnFromACheckpointWhenARankOfATrainingWasKilled) {
  BackgroundProgram program(
      words("run --max-restarts 1 train --model lenet --data glyphs:train=20000,validation=100 "
            "--epochs 1 --batch-size 50 --threads 1 --checkpoint-every 5steps --keep 1000 "
            "--resources off --tensorboard off --out run"));
  const auto checkpoints = folder_.path() / "run" / "checkpoints";
  ASSERT_TRUE(comes_true([&] { return fs::exists(checkpoints / "step-00000005"); }))
      << program.output();
  ASSERT_TRUE(kill_first_rank(program));
  const auto result = program.wait();
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, AllOf(HasSubstr("restart 1 of 1"), HasSubstr("resumed    at step")));
}

TEST_F(YokeRun, GoesOnFromItsNewestCheckpointAfterARestartAlsoWhereOneIsNamed) {
  const std::string training =
      "train --model lenet --data glyphs:train=20000,validation=100 --epochs 1 --batch-size 50 "
      "--threads 1 --checkpoint-every 5steps --keep 1000 --resources off --tensorboard off";
  ASSERT_EQ(run(training + " --max-steps 10 --out first").status, 0);
  BackgroundProgram program(
      words("run --max-restarts 1 " + training +
            " --max-steps 400 --out second --resume first/checkpoints/step-00000005"));
  const auto checkpoints = folder_.path() / "second" / "checkpoints";
  ASSERT_TRUE(comes_true([&] { return fs::exists(checkpoints / "step-00000020"); }))
      << program.output();
  ASSERT_TRUE(kill_first_rank(program));
  const auto result = program.wait();
  EXPECT_EQ(result.status, 0) << result.output;
  const auto named = result.output.find("resumed    at step 5");
  ASSERT_NE(named, std::string::npos) << result.output;
  EXPECT_THAT(result.output.substr(named + 1),
              AllOf(HasSubstr("restart 1 of 1"), HasSubstr("resumed    at step"),
                    Not(HasSubstr("resumed    at step 5 "))));
  for (const auto& entry : fs::directory_iterator(checkpoints)) {
    EXPECT_FALSE(entry.path().filename().string().starts_with("later")) << entry.path();
  }
}

TEST_F(YokeRun, TrainsIntoARunDirectoryThatHoldsItsLogs) {
  const std::string arguments =
      "train --model mlp --data glyphs:train=512,validation=100 --epochs 1 --threads 1 "
      "--resources off --tensorboard off --out run";
  const auto result = run(arguments);
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_TRUE(exists("run/summary.json"));
  EXPECT_THAT(read("run/logs/attempt-0/rank-0/stdout.log"), HasSubstr("Training complete"));
  const auto again = run(arguments);
  EXPECT_EQ(again.status, 2);
  EXPECT_THAT(again.output, HasSubstr("not overwritten"));
}

}  // namespace
}  // namespace yoke
