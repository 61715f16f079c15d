// Studies run by a program that stands in for yoke: it writes what a run writes, and does not
// train.
#include "yoke/study/runner.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

#include "tests/study/runs.h"
#include "tests/support/support.h"
#include "yoke/core/error.h"
#include "yoke/study/outcome.h"

namespace yoke::study {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

class Studies : public testing::Test {
 protected:
  /// `body` is a shell's; it finds the run directory in $out and its flags in $recipe.
  void stand_in(const std::string& body) {
    const auto path = directory_.path() / "yoke";
    write_file(path,
               "#!/bin/sh\nset -e\nwhile [ $# -gt 0 ]; do\n  case $1 in\n"
               "    --recipe) recipe=$2 ;;\n    --out) out=$2 ;;\n  esac\n  shift\ndone\n"
               "mkdir -p \"$out\"\ncp \"$recipe\" \"$out/config.toml\"\n"
               "complete() { echo \"{\\\"status\\\": \\\"completed\\\", \\\"train_seconds\\\": $1, "
               "\\\"wall_seconds\\\": $1, \\\"world_size\\\": 1}\" > \"$out/summary.json\"; }\n" +
                   body + "\n");
    fs::permissions(path, fs::perms::owner_all);
  }
  void plan(const std::string& text, const StudyRequest& request = {}) {
    write_file(directory_.path() / "s.toml", text);
    plan_ = read_study(directory_.path() / "s.toml", request, [](const auto&, const auto&) {});
    jobs_ = jobs_of(plan_, directory_.path() / "out" / "runs");
  }
  RunnerResult run() {
    return run_jobs(plan_, jobs_,
                    {.program = (directory_.path() / "yoke").string(),
                     .environment = {{"PATH", std::getenv("PATH")}},
                     .tell = [&](const std::string& line) { told_.push_back(line); },
                     .stop = &stop_});
  }

  test::TemporaryDirectory directory_;
  StudyPlan plan_;
  std::vector<Job> jobs_;
  std::vector<std::string> told_;
  std::atomic<bool> stop_ = false;
};

TEST_F(Studies, RunEveryPointAndTellOfTheTimeLeft) {
  stand_in("complete 2");
  plan("[study]\nrepetitions = 2\nwarm-up = 1\n[axes]\nlr = [1, 2]\n");
  const auto result = run();
  EXPECT_EQ(result.completed, 6);
  EXPECT_EQ(result.failed + result.left + result.done_before, 0);
  ASSERT_EQ(told_.size(), 6U);
  EXPECT_THAT(told_[0], testing::AllOf(HasSubstr("[1/6] lr=2-w1: completed"), HasSubstr("left")));
  EXPECT_THAT(told_[5], testing::AllOf(HasSubstr("[6/6] lr=1-r2"), Not(HasSubstr("left"))));
}

TEST_F(Studies, GoOnWithWhatIsNotDone) {
  stand_in("complete 2");
  plan("[study]\nrepetitions = 3\nwarm-up = 0\n");
  run();
  write_file(jobs_[1].directory / "summary.json", "{\"status\": \"stopped\"}");
  fs::remove_all(jobs_[2].directory);
  told_.clear();
  const auto result = run();
  EXPECT_EQ(result.done_before, 1);
  EXPECT_EQ(result.completed, 2);
  EXPECT_THAT(told_[0], HasSubstr("[2/3] all-r2"));
}

TEST_F(Studies, RefuseRunsThatWereMadeWithOtherFlags) {
  stand_in("complete 2");
  plan("[study]\nrepetitions = 1\nwarm-up = 0\n[flags]\nlr = 1\n");
  run();
  plan("[study]\nrepetitions = 1\nwarm-up = 0\n[flags]\nlr = 2\n");
  EXPECT_THROW(run(), UsageError);
}

TEST_F(Studies, PassOverARunThatFails) {
  stand_in("grep -q 'lr = 1' \"$recipe\" && { echo the disk is full; exit 1; }\ncomplete 2");
  plan("[study]\nrepetitions = 1\nwarm-up = 0\n[axes]\nlr = [1, 2]\n");
  const auto result = run();
  EXPECT_EQ(result.failed, 1);
  EXPECT_EQ(result.completed, 1);
  EXPECT_THAT(told_, Contains(HasSubstr("lr=1-r1: failed (exit status 1): the disk is full")));
}

TEST_F(Studies, EndAtOnceOnWrongUsage) {
  stand_in("echo yoke: no such model; exit 2");
  plan("[study]\nrepetitions = 2\nwarm-up = 0\n");
  const auto result = run();
  EXPECT_THAT(result.wrong_usage, HasSubstr("all-r1: no such model"));
  EXPECT_EQ(result.failed, 1);
  EXPECT_EQ(result.left, 1);
}

TEST_F(Studies, SkipPointsThatThisMachineCannotRun) {
  stand_in(
      "grep -q 'lr = 1' \"$recipe\" && { echo yoke: LibTorch sees no GPU; exit 69; }\n"
      "complete 2");
  plan("[study]\nrepetitions = 2\nwarm-up = 1\n[axes]\nlr = [1, 2]\n");
  const auto result = run();
  EXPECT_EQ(result.completed, 3);
  EXPECT_EQ(result.failed + result.left, 0);
  ASSERT_EQ(result.skipped.size(), 1U);
  EXPECT_EQ(result.skipped[0].point, "lr=1");
  EXPECT_EQ(result.skipped[0].runs, 3);
  EXPECT_EQ(result.skipped[0].why, "LibTorch sees no GPU");
  EXPECT_THAT(
      told_,
      Contains(HasSubstr("lr=1-w1: skipped, with 2 more of its point: LibTorch sees no GPU")));
  EXPECT_THAT(told_.back(), HasSubstr("[6/6]"));
  const std::string csv = study_csv(jobs_, result.skipped);
  EXPECT_THAT(csv, HasSubstr("lr=1,,1,2,2,skipped,"));
  EXPECT_THAT(csv, HasSubstr("lr=2,,2,2,2,completed,"));
  EXPECT_EQ(run().done_before, 3) << "what was skipped is tried again";
}

TEST_F(Studies, AskRunsOnOtherHostsToEndOnWrongUsage) {
  stand_in(
      "case $out in\n  *lr=1*) while [ ! -e \"$out/../other\" ]; do sleep 0.01; done; exit 2 ;;\n"
      "  *) trap 'touch \"$out/asked\"; exit 75' TERM; touch \"$out/../other\"\n"
      "     while true; do sleep 0.01; done ;;\nesac");
  plan("[study]\nrepetitions = 1\nwarm-up = 0\nhosts = ['a', 'b']\n[axes]\nlr = [1, 2]\n");
  const auto result = run();
  EXPECT_FALSE(result.wrong_usage.empty());
  EXPECT_EQ(result.left, 1);
  EXPECT_TRUE(fs::exists(jobs_[1].directory / "asked"));
}

TEST_F(Studies, SayThatResultsAreElsewhere) {
  stand_in("echo done");
  plan("[study]\nrepetitions = 1\nwarm-up = 0\n");
  EXPECT_EQ(run().failed, 1);
  EXPECT_THAT(told_, Contains(HasSubstr("its results are not in")));
}

TEST_F(Studies, KeepAnAxisApartThatDoesNotChangeWhatIsTrained) {
  stand_in("complete 2");
  plan("[study]\nrepetitions = 2\nwarm-up = 0\n[axes]\nresources = [true, false]\n");
  run();
  const auto comparison = completed_points(jobs_);
  ASSERT_TRUE(comparison);
  EXPECT_THAT(comparison->axes, ElementsAre("resources"));
  EXPECT_EQ(comparison->groups.size(), 2U);
}

TEST_F(Studies, EndARunThatTakesLongerThanItsLimit) {
  stand_in("exec sleep 1000");
  plan("[study]\nrepetitions = 1\nwarm-up = 0\nrun-limit = '0.3s'\n");
  EXPECT_EQ(run().failed, 1);
  EXPECT_THAT(told_, ElementsAre(HasSubstr("longer than the run-limit")));
}

TEST_F(Studies, StopWhenAskedTo) {
  stand_in("touch \"$out/begun\"; exec sleep 1000");
  plan("[study]\nrepetitions = 2\nwarm-up = 0\n");
  std::thread person([&] {
    test::comes_true([&] { return fs::exists(jobs_[0].directory / "begun"); });
    stop_ = true;
  });
  const auto result = run();
  person.join();
  EXPECT_EQ(result.left, 2);
  EXPECT_EQ(result.failed, 0);
}

// Each run ends only when it has seen so many at once; after some minutes it fails.
std::string waits_for(int runs) {
  return fmt::format(
      "touch \"$out.here\"\nlooks=0\nwhile [ $(ls \"$(dirname \"$out\")\" | grep -c here) -lt {} "
      "]; do "
      "sleep 0.05; looks=$((looks + 1)); [ $looks -lt 2000 ]; done\ncomplete 1",
      runs);
}

TEST_F(Studies, UseEverySetOfHostsAtOnce) {
  stand_in(waits_for(2));
  plan("[study]\nrepetitions = 2\nwarm-up = 0\nhosts = ['a', 'b']\n");
  EXPECT_EQ(run().completed, 2);
}

TEST_F(Studies, RunAsManyJobsOnEachSetOfHostsAsAskedFor) {
  stand_in(waits_for(6));
  plan("[study]\nrepetitions = 6\nwarm-up = 0\nhosts = ['a', 'b']\n", {.jobs = 3});
  EXPECT_EQ(run().completed, 6);
}

TEST_F(Studies, RunNoMoreJobsThanAskedFor) {
  stand_in(
      "mkdir -p \"$out.now\"\n[ $(ls \"$(dirname \"$out\")\" | grep -c now) -le 2 ]\nsleep 0.1\n"
      "rmdir \"$out.now\"\ncomplete 1");
  plan("[study]\nrepetitions = 5\nwarm-up = 0\n", {.jobs = 2});
  EXPECT_EQ(run().completed, 5);
}

TEST_F(Studies, ComeToTablesWithTests) {
  stand_in(
      "grep -q 'lr = 1' \"$recipe\" && base=10 || base=20\n"
      "complete $base.$(sed -n 's/seed = //p' \"$recipe\")");
  plan("[study]\nrepetitions = 3\nwarm-up = 0\n[axes]\nlr = [1, 2]\n");
  run();
  const std::string csv = study_csv(jobs_);
  EXPECT_THAT(csv, testing::StartsWith("point,case,lr,repetition,seed,status,train_seconds"));
  EXPECT_THAT(csv, HasSubstr("\nlr=2,,2,3,3,completed,20.3,"));
  const auto comparison = completed_points(jobs_);
  ASSERT_TRUE(comparison);
  EXPECT_EQ(comparison->groups.size(), 2U);
  const auto json = nlohmann::json::parse(summary_json("t", *comparison));
  const auto& times = json["numbers"]["train_seconds"];
  EXPECT_EQ(times[0]["n"], 3);
  EXPECT_EQ(times[0]["verdict"], "best");
  EXPECT_EQ(times[1]["verdict"], "differs");
  EXPECT_THAT(summary_markdown("t", *comparison), HasSubstr("| best |"));
}

TEST_F(Studies, SetCasesAgainstTheFirst) {
  stand_in("complete 1");
  plan(
      "[study]\nrepetitions = 2\nwarm-up = 0\n"
      "[[cases]]\nname = 'whole'\n[[cases]]\nname = 'a part less'\nlr = 1\n");
  run();
  EXPECT_EQ(completed_points(jobs_).value().base, "whole");
}

TEST_F(Studies, SetNothingAgainstAPointWhereAxesAreBesideCases) {
  stand_in("complete 1");
  plan(
      "[study]\nrepetitions = 1\nwarm-up = 0\n[axes]\nresources = [true, false]\n"
      "[[cases]]\nname = 'whole'\n[[cases]]\nname = 'a part less'\nlr = 1\n");
  run();
  EXPECT_EQ(completed_points(jobs_).value().base, "");
}

}  // namespace
}  // namespace yoke::study
