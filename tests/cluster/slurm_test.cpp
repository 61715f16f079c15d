// Studies that a real Slurm runs, of two nodes on this machine.
#include "tests/support/slurm.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>

#include "tests/cluster/training.h"
#include "yoke/core/files/file.h"

namespace yoke::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kFlags =
    "[flags]\nmodel = 'mlp'\ndata = 'glyphs:train=512,validation=130'\nbatch-size = 64\n"
    "threads = 1\nprint-every = 1\n";

class StudiesUnderSlurm : public testing::Test {
 protected:
  void SetUp() override {
    const auto reason = Slurm::why_not();
    if (!reason.empty()) GTEST_SKIP() << reason;
    slurm_.emplace(2);
    fs::create_directories(folder());
  }

  fs::path folder() const { return directory_.path() / "it's a folder"; }
  fs::path out() const { return folder() / "out"; }
  fs::path run(const std::string& name) const { return out() / "runs" / name; }

  /// Writes the study and has it submitted.
  void submit(const std::string& text) const {
    write_file(folder() / "s.toml", text);
    const auto emitted = run_yoke(
        {"study", (folder() / "s.toml").string(), "--out", out().string(), "--emit", "slurm"});
    ASSERT_EQ(emitted.status, 0) << emitted.output;
    slurm_->print({(out() / "slurm" / "submit.sh").string()});
  }

  /// The only array that was submitted.
  std::string array() const {
    const std::string jobs = read_file(out() / "slurm" / "jobs");
    return jobs.substr(0, jobs.find(','));
  }

  /// Waits until no job is left.
  void wait_for_end() const {
    ASSERT_TRUE(comes_true([&] {
      return slurm_->print({"squeue", "--noheader"}).empty();
    })) << slurm_->print({"squeue"})
        << outputs();
  }

  /// What jobs and runs have printed.
  std::string outputs() const {
    std::string text;
    for (const auto& entry : fs::recursive_directory_iterator(out())) {
      const auto ending = entry.path().extension();
      if (ending != ".out" && ending != ".log") continue;
      text += fmt::format("\n{}:\n{}", entry.path().string(), read_file(entry.path()));
    }
    return text;
  }

  std::optional<Slurm> slurm_;
  TemporaryDirectory directory_;
};

TEST_F(StudiesUnderSlurm, ComeToTheirReport) {
  submit(
      fmt::format("[study]\nrepetitions = 2\nwarm-up = 0\n{}epochs = 1\n[axes]\n"
                  "nodes = [1, 2]\nranks = [1, 2]\n",
                  kFlags));
  if (HasFatalFailure()) return;
  for (const char* const script : {"1x1.sh", "1x2.sh", "2x1.sh", "2x2.sh", "report.sh"}) {
    const auto tested =
        run_program(slurm_->in({"sbatch", "--test-only", (out() / "slurm" / script).string()}));
    EXPECT_EQ(tested.status, 0) << tested.output;
  }
  wait_for_end();
  const std::string csv = read_file(out() / "study.csv");
  EXPECT_THAT(csv, Not(HasSubstr("not begun"))) << outputs();
  EXPECT_THAT(csv, Not(HasSubstr("failed")));
  EXPECT_TRUE(fs::exists(out() / "report.html")) << outputs();
  EXPECT_EQ(summary(run("nodes=2,ranks=2-r2")).at("world_size"), 4);
}

// The link is slow, so that the run does not end before it is signalled.
TEST_F(StudiesUnderSlurm, GoOnFromACheckpointInATaskThatWasStopped) {
  submit(
      fmt::format("[study]\nrepetitions = 1\nwarm-up = 0\n{}epochs = 20\n"
                  "checkpoint-every = '1000000steps'\n"
                  "comm = 'throttle:over=gloo,latency_milliseconds=10'\n[axes]\nranks = [2]\n",
                  kFlags));
  if (HasFatalFailure()) return;
  ASSERT_TRUE(comes_true([&] { return steps_reported(run("all-r1")) >= 5; })) << outputs();
  slurm_->print({"scancel", "--signal=USR1", array() + "_0"});
  wait_for_end();
  EXPECT_THAT(read_file(run("all-r1.log")), HasSubstr("resumed    at step")) << outputs();
  EXPECT_EQ(summary(run("all-r1")).at("status"), "completed");
  EXPECT_THAT(read_file(out() / "study.csv"), HasSubstr(",completed,"));
}

TEST_F(StudiesUnderSlurm, EndForGoodWhenTheyAreCancelled) {
  submit(
      fmt::format("[study]\nrepetitions = 1\nwarm-up = 0\n{}epochs = 1_000_000\n"
                  "checkpoint-every = '1000000steps'\n",
                  kFlags));
  if (HasFatalFailure()) return;
  ASSERT_TRUE(comes_true([&] { return steps_reported(run("all-r1")) >= 5; })) << outputs();
  slurm_->print({"scancel", array()});
  wait_for_end();  // which would not come if the task were requeued
  ASSERT_TRUE(fs::exists(run("all-r1") / "summary.json")) << outputs();
  EXPECT_EQ(summary(run("all-r1")).at("status"), "stopped") << outputs();
  EXPECT_THAT(read_file(out() / "study.csv"), HasSubstr(",stopped,"));
}

TEST_F(StudiesUnderSlurm, AreReportedOnWhenRunsHaveFailed) {
  submit(fmt::format("[study]\nrepetitions = 1\nwarm-up = 0\n{}[axes]\nepochs = [1, 1_000_000]\n",
                     kFlags));
  if (HasFatalFailure()) return;
  const auto endless = run("epochs=1000000-r1");
  ASSERT_TRUE(comes_true([&] { return steps_reported(endless) >= 5; })) << outputs();
  slurm_->print({"scancel", "--signal=USR1", array() + "_1"});
  wait_for_end();  // without a checkpoint it would not end when it began anew
  const std::string csv = read_file(out() / "study.csv");
  EXPECT_THAT(csv, HasSubstr(",stopped,")) << outputs();
  EXPECT_THAT(csv, HasSubstr(",completed,"));
  EXPECT_TRUE(fs::exists(out() / "report.html"));
}

}  // namespace
}  // namespace yoke::test
