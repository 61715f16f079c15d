// Trainings that mpirun or Slurm starts, without `yoke run`.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <regex>

#include "tests/cluster/training.h"
#include "tests/support/hosts.h"
#include "yoke/comm/factory.h"

namespace yoke::test {
namespace {

constexpr int kLaunchedEpochs = 3;

bool has_mpi() {
  const auto names = communicators().available();
  return std::find(names.begin(), names.end(), "mpi") != names.end() &&
         run_program({"sh", "-c", "command -v mpirun"}).status == 0;
}

class OtherLaunchers : public testing::Test {
 protected:
  void SetUp() override {
    const auto alone = run_program(yoke_in(folder_.path(), training("alone", kLaunchedEpochs)));
    ASSERT_EQ(alone.status, 0) << alone.output;
  }

  void expect_like_one_process(const std::string& comm) const {
    const auto run = folder_.path() / "run";
    expect_whole(run, kLaunchedEpochs, 2);
    EXPECT_EQ(summary(run).at("comm"), comm);
    expect_close_runs(folder_.path() / "alone", run);
  }

  ProgramResult mpirun(const std::string& more) const {
    auto words = mpirun_words(2);
    for (auto& word : yoke_in(folder_.path(), training("run", kLaunchedEpochs, more))) {
      words.push_back(std::move(word));
    }
    return run_program(limited(600, words));
  }

  TemporaryDirectory folder_;
};

TEST_F(OtherLaunchers, MpirunTrains) {
  if (!has_mpi()) GTEST_SKIP() << "no MPI: sudo scripts/install-dependencies, -DYOKE_WITH_MPI=ON";
  const auto result = mpirun("");
  ASSERT_EQ(result.status, 0) << result.output;
  expect_like_one_process("shared-memory");
}

TEST_F(OtherLaunchers, MpirunTrainsOverMpi) {
  if (!has_mpi()) GTEST_SKIP() << "no MPI: sudo scripts/install-dependencies, -DYOKE_WITH_MPI=ON";
  for (const char* strategy :
       {"allreduce", "allreduce:shard_state=true", "averaging:every=1", "parameter-server"}) {
    SCOPED_TRACE(strategy);
    const auto result = mpirun(fmt::format("--comm mpi --strategy {}", strategy));
    ASSERT_EQ(result.status, 0) << result.output;
    expect_like_one_process("mpi");
    std::filesystem::remove_all(folder_.path() / "run");
  }
}

/// Trains over three hosts by mpirun and prints what host1, where rank 0 is, has sent.
constexpr const char* kOverHosts =
    "sent() {{ awk '/eth0:/ {{ print $10 }}' /proc/net/dev; }}\n"
    "before=$(sent)\n"
    "LSAN_OPTIONS=detect_leaks=0 mpirun -x LSAN_OPTIONS --allow-run-as-root --host "
    "host1,host2,host3 --bind-to none --mca btl tcp,self "
    "--mca btl_tcp_if_include eth0 --mca oob_tcp_if_include eth0 {} || exit 1\n"
    "echo sent=$(($(sent) - before))";

// Along a tree all of a gradient would go to rank 0, and from there to both others.
TEST_F(OtherLaunchers, MpirunSendsBetweenHostsWhatARingSends) {
  if (!has_mpi()) GTEST_SKIP() << "no MPI: sudo scripts/install-dependencies, -DYOKE_WITH_MPI=ON";
  if (const auto why = Hosts::why_not(); !why.empty()) GTEST_SKIP() << why;
  const Hosts hosts(3);
  const auto trains = fmt::format("{} {}", YOKE_PROGRAM,
                                  training(folder_.path() / "run", kLaunchedEpochs, "--comm mpi"));
  const auto result =
      run_program(limited(600, hosts.on(0, {"sh", "-c", fmt::format(kOverHosts, trains)})));
  ASSERT_EQ(result.status, 0) << result.output;
  expect_whole(folder_.path() / "run", kLaunchedEpochs, 3);
  std::smatch sent;
  ASSERT_TRUE(std::regex_search(result.output, sent, std::regex("sent=([0-9]+)"))) << result.output;
  const auto reduced = summary(folder_.path() / "run").at("communication_bytes").get<double>();
  const double times = std::stod(sent[1]) / reduced;
  EXPECT_GT(times, 1.3);  // 4 / 3, and what the network adds
  EXPECT_LT(times, 1.7);
}

TEST_F(OtherLaunchers, SlurmTrains) {
  const int job = free_port();  // its last four digits make the port
  std::vector<std::unique_ptr<BackgroundProgram>> tasks;
  for (int task = 0; task < 2; ++task) {
    auto words = yoke_in(folder_.path(), training("run", kLaunchedEpochs));
    words.insert(words.begin(), {"env", fmt::format("SLURM_PROCID={}", task),
                                 fmt::format("SLURM_LOCALID={}", task), "SLURM_NTASKS=2",
                                 "SLURM_NODEID=0", "SLURM_JOB_NODELIST=localhost",
                                 "SLURM_TASKS_PER_NODE=2", fmt::format("SLURM_JOB_ID={}", job)});
    tasks.push_back(std::make_unique<BackgroundProgram>(limited(600, words)));
  }
  for (const auto& task : tasks) {
    const auto result = task->wait();
    ASSERT_EQ(result.status, 0) << result.output;
  }
  expect_like_one_process("shared-memory");
}

}  // namespace
}  // namespace yoke::test
