// What every communicator must do, between processes: the program rank_checks is one rank.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/support.h"
#include "yoke/comm/factory.h"

namespace yoke::test {
namespace {

using testing::HasSubstr;

constexpr int kKilled = 128 + 9;
constexpr int kLost = 3;  // rank_checks says that another rank was lost

/// Ends what would hang.
const std::vector<std::string> kLimited = {"timeout", "--kill-after=5", "600"};

std::vector<std::string> joined(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// What became of each of `size` processes with the variables of torchrun.
std::vector<ProgramResult> run_processes(int size, const std::vector<std::string>& arguments) {
  const std::string port = std::to_string(free_port());
  std::vector<std::unique_ptr<BackgroundProgram>> processes;
  for (int rank = 0; rank < size; ++rank) {
    const std::vector<std::string> environment = {"env",
                                                  "RANK=" + std::to_string(rank),
                                                  "LOCAL_RANK=" + std::to_string(rank),
                                                  "WORLD_SIZE=" + std::to_string(size),
                                                  "LOCAL_WORLD_SIZE=" + std::to_string(size),
                                                  "MASTER_ADDR=127.0.0.1",
                                                  "MASTER_PORT=" + port,
                                                  YOKE_RANK_CHECKS};
    processes.push_back(
        std::make_unique<BackgroundProgram>(joined(joined(kLimited, environment), arguments)));
  }
  std::vector<ProgramResult> results;
  for (const auto& process : processes) results.push_back(process->wait());
  return results;
}

ProgramResult run_mpi(int size, const std::vector<std::string>& arguments) {
  const auto program = joined(mpirun_words(size), {YOKE_RANK_CHECKS});
  return run_program(joined(joined(kLimited, program), arguments));
}

bool has_mpi() {
  const auto names = communicators().available();
  return std::find(names.begin(), names.end(), "mpi") != names.end() &&
         run_program({"sh", "-c", "command -v mpirun"}).status == 0;
}

struct Processes {
  std::string communicator;
  std::string hosts;
  int ranks;
};

void PrintTo(const Processes& setting, std::ostream* out) {
  *out << setting.communicator << " " << setting.ranks << " on " << setting.hosts;
}

class ProcessesTest : public testing::TestWithParam<Processes> {};

TEST_P(ProcessesTest, DoWhatTheyMust) {
  const auto& [communicator, hosts, ranks] = GetParam();
  for (const auto& result : run_processes(ranks, {communicator, hosts})) {
    EXPECT_EQ(result.status, 0) << result.output;
  }
}

TEST_P(ProcessesTest, TellWhenOneIsKilled) {
  const auto& [communicator, hosts, ranks] = GetParam();
  if (ranks == 1) return;
  const int lost = ranks - 1;
  const auto results = run_processes(ranks, {communicator, hosts, std::to_string(lost)});
  for (int rank = 0; rank < ranks; ++rank) {
    const auto& result = results[static_cast<std::size_t>(rank)];
    EXPECT_EQ(result.status, rank == lost ? kKilled : kLost) << result.output;
  }
}

std::string label_of_processes(const testing::TestParamInfo<Processes>& info) {
  std::string text =
      info.param.communicator + "_" + std::to_string(info.param.ranks) + "_on_" + info.param.hosts;
  for (char& c : text) c = std::isalnum(c) == 0 ? '_' : c;
  return text;
}

INSTANTIATE_TEST_SUITE_P(
    Several, ProcessesTest,
    testing::Values(Processes{"gloo", "0", 1}, Processes{"gloo", "0", 2}, Processes{"gloo", "0", 4},
                    Processes{"hierarchical", "2,1", 3}, Processes{"hierarchical", "3,1", 4},
                    Processes{"shared-memory", "0", 2}, Processes{"shared-memory", "0", 3},
                    Processes{"shared-memory", "0", 8}),
    label_of_processes);

class MpirunTest : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (!has_mpi()) GTEST_SKIP() << "no MPI in this build, or no mpirun on this machine";
  }
};

TEST_P(MpirunTest, StartsRanksThatDoWhatTheyMust) {
  const auto result = run_mpi(GetParam(), {"mpi", "0"});
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("all checks passed"));
}

INSTANTIATE_TEST_SUITE_P(Ranks, MpirunTest, testing::Values(1, 2, 3, 4, 8));

class Mpirun : public MpirunTest {};

TEST_F(Mpirun, StartsRanksThatMeetOverMpi) {
  const auto result = run_mpi(3, {"auto", "0"});
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(Mpirun, EndsTheJobWhenARankIsKilled) { EXPECT_NE(run_mpi(3, {"mpi", "0", "1"}).status, 0); }

TEST_F(Mpirun, EndsTheJobWhenARankFails) {
  const auto result = run_mpi(2, {"no-such-communicator", "0"});
  EXPECT_EQ(result.status, 1) << result.output;
  EXPECT_THAT(result.output, HasSubstr("no-such-communicator"));
}

TEST_F(Mpirun, TellsWhyARankFailsThatTheOthersOnlyLose) {
  const auto result = run_mpi(2, {"gloo", "0", "0", "its own reason"});
  EXPECT_EQ(result.status, 1) << result.output;
  ASSERT_THAT(result.output, HasSubstr("failed: its own reason"));
  EXPECT_EQ(result.output.find("failed: "), result.output.find("failed: its own reason"))
      << result.output;
}

TEST(Mpi, SaysThatMpirunMustStartIt) {
  if (!has_mpi()) GTEST_SKIP() << "no MPI in this build, or no mpirun on this machine";
  ::setenv("LSAN_OPTIONS", "detect_leaks=0", 1);  // as in mpirun_words()
  for (const auto& result : run_processes(2, {"mpi", "0"})) {
    EXPECT_EQ(result.status, 1) << result.output;
    EXPECT_THAT(result.output, HasSubstr("mpirun -n 2"));
  }
  ::unsetenv("LSAN_OPTIONS");
}

}  // namespace
}  // namespace yoke::test
