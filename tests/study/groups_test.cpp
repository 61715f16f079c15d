// Which runs are repetitions, what differs, and what follows from it.
#include "yoke/study/groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/study/runs.h"
#include "tests/support/support.h"
#include "yoke/core/error.h"
#include "yoke/study/findings/findings.h"
#include "yoke/study/findings/point_tests.h"
#include "yoke/study/scaling.h"

namespace yoke::study {
namespace {

using test::MadeRun;
using test::make_run;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class Groups : public testing::Test {
 protected:
  void add(const MadeRun& run, Settings extra = {}) {
    const auto path = directory_.path() / fmt::format("run{}", runs_.size());
    make_run(path, run);
    runs_.push_back({read_run(path), std::move(extra)});
  }
  /// Three repetitions that differ a little.
  void add_repeated(MadeRun run) {
    for (int i = 0; i < 3; ++i) {
      run.seed = i + 1;
      run.train_seconds *= 1.01;
      run.top1 += 0.001;
      add(run);
    }
  }
  Comparison compared() { return compare_runs(runs_); }

  test::TemporaryDirectory directory_;
  std::vector<NamedRun> runs_;
};

TEST_F(Groups, HoldRunsThatDifferInTheirSeedAlone) {
  add({.seed = 1});
  add({.seed = 2});
  const auto comparison = compared();
  EXPECT_THAT(comparison.axes, IsEmpty());
  ASSERT_EQ(comparison.groups.size(), 1U);
  EXPECT_EQ(comparison.groups[0].runs.size(), 2U);
  EXPECT_EQ(comparison.groups[0].label, "run0");
}

TEST_F(Groups, AreOrderedByNumbersAsNumbers) {
  for (const int batch_size : {256, 32, 1024}) add({.batch_size = batch_size});
  const auto comparison = compared();
  EXPECT_THAT(comparison.axes, ElementsAre("batch-size"));
  ASSERT_EQ(comparison.groups.size(), 3U);
  EXPECT_EQ(comparison.groups[0].label, "batch-size 32");
  EXPECT_EQ(comparison.groups[2].label, "batch-size 1024");
}

TEST_F(Groups, CountHogwildsWorkersAsRanks) {
  add({.ranks = 1, .strategy = "hogwild:workers=1"});
  add({.ranks = 2, .strategy = "hogwild:workers=2"});
  EXPECT_THAT(compared().axes, ElementsAre("ranks"));
}

TEST_F(Groups, NameACaseInPlaceOfItsFlags) {
  add({.batch_size = 32}, {{"case", "small"}});
  add({.batch_size = 256}, {{"case", "large"}});
  const auto comparison = compared();
  EXPECT_THAT(comparison.axes, ElementsAre("case"));
  EXPECT_EQ(comparison.groups[0].label, "large");
}

TEST_F(Groups, MeasureCompletedRunsAlone) {
  add({.train_seconds = 10});
  add({.seed = 2, .train_seconds = 1, .status = "failed"});
  const auto comparison = compared();
  EXPECT_EQ(comparison.groups[0].sample("train_seconds").n, 1);
  EXPECT_DOUBLE_EQ(comparison.groups[0].sample("train_seconds").median, 10);
  EXPECT_EQ(comparison.groups[0].typical().status, "completed");
}

TEST_F(Groups, AreRefusedWithoutRuns) { EXPECT_THROW(compared(), Error); }

TEST_F(Groups, SpeedUpIsAgainstTheFewestRanks) {
  add({.ranks = 1, .train_seconds = 12});
  add({.ranks = 2, .train_seconds = 6});
  add({.ranks = 4, .train_seconds = 6});
  const auto comparison = compared();
  const auto lines = lines_over(comparison, "ranks");
  ASSERT_EQ(lines.size(), 1U);
  const auto scaling = scaling_of(lines[0]);
  ASSERT_TRUE(scaling);
  EXPECT_DOUBLE_EQ(scaling->steps[1].speed_up, 2);
  EXPECT_DOUBLE_EQ(scaling->steps[1].efficiency, 1);
  EXPECT_DOUBLE_EQ(scaling->steps[2].efficiency, 0.5);
  EXPECT_EQ(scaling->stops_at, 1U);
  EXPECT_EQ(scaling->cause, "computing");
}

TEST_F(Groups, HaveNoLinesOverWords) {
  add({.strategy = "allreduce"});
  add({.strategy = "averaging"});
  const auto comparison = compared();
  EXPECT_THAT(lines_over(comparison, "strategy"), IsEmpty());
  EXPECT_THAT(worker_axes(comparison), IsEmpty());
}

TEST_F(Groups, FindingsNameTheFastestAndSaySoWhereItIsMoreThanChance) {
  add_repeated({.batch_size = 32, .train_seconds = 20, .top1 = 0.9});
  add_repeated({.batch_size = 256, .train_seconds = 5, .top1 = 0.9001});
  const auto findings = comparison_findings(compared());
  EXPECT_THAT(findings, Contains(HasSubstr("Fastest training: batch-size 256")));
  EXPECT_THAT(findings,
              Contains("The difference is more than chance (Welch's t test, level 0.05)."));
  EXPECT_THAT(findings, Contains(HasSubstr("The difference is not more than chance")));
}

TEST_F(Groups, FindingsTestTheBestOfSeveralAgainstEachOther) {
  add_repeated({.batch_size = 32, .train_seconds = 20, .top1 = 0.9});
  add_repeated({.batch_size = 64, .train_seconds = 10, .top1 = 0.9002});
  add_repeated({.batch_size = 256, .train_seconds = 5, .top1 = 0.9001});
  const auto findings = comparison_findings(compared());
  EXPECT_THAT(findings, Contains("The difference to every other point is more than chance (Welch's "
                                 "t test, 2 comparisons, level 0.05 by Holm)."));
  EXPECT_THAT(findings, Contains(HasSubstr("No difference between it and another point")));
}

TEST_F(Groups, FindingsNameNoBestWhereNumbersReadAlike) {
  add_repeated({.batch_size = 32, .train_seconds = 20, .top1 = 0.9});
  add_repeated({.batch_size = 256, .train_seconds = 5, .top1 = 0.90001});
  const auto findings = comparison_findings(compared());
  EXPECT_THAT(findings,
              Contains("Highest accuracy: none, for the median of every point is 90.20 %."));
  EXPECT_THAT(findings, Not(Contains(HasSubstr("Lowest: "))));
}

TEST_F(Groups, FindingsClaimNothingOfSingleRuns) {
  add({.batch_size = 32, .train_seconds = 20});
  add({.batch_size = 256, .train_seconds = 5});
  const auto findings = comparison_findings(compared());
  EXPECT_THAT(findings, Contains(HasSubstr("nothing can be said")));
  EXPECT_THAT(findings, Not(Contains(HasSubstr("more than chance"))));
}

TEST_F(Groups, FindingsCompareWhatReachedItsTargetInEveryRunAlone) {
  for (const int seed : {1, 2}) {
    add({.batch_size = 32, .seed = seed, .target = 0.9, .target_seconds = 10.0 + seed});
    add({.batch_size = 64, .seed = seed, .target = 0.9, .target_seconds = 20.0 + seed});
    add({.batch_size = 256, .seed = seed, .target = 0.9});
  }
  add({.batch_size = 128, .seed = 1, .target = 0.9, .target_seconds = 3});
  add({.batch_size = 128, .seed = 2, .target = 0.9});
  const auto findings = comparison_findings(compared());
  EXPECT_THAT(findings,
              Contains(testing::AllOf(testing::StartsWith("First at the target: batch-size 32,"),
                                      HasSubstr(" Last: batch-size 64,"))));
  EXPECT_THAT(findings,
              Contains("The target was missed by: batch-size 128 (reached in 1 of 2 runs); "
                       "batch-size 256 (reached in 0 of 2 runs)."));
  const auto points = test_points(compared(), "time_to_target_seconds", true);
  ASSERT_EQ(points.size(), 3U);
  EXPECT_EQ(points[2].label, "batch-size 128");
  EXPECT_EQ(points[2].verdict, "not in every run");
  EXPECT_FALSE(points[2].holm_p.has_value());
}

TEST_F(Groups, FindingsDoNotRankRunsThatDidNotComplete) {
  add_repeated({.batch_size = 32, .train_seconds = 100});
  add_repeated({.batch_size = 64, .train_seconds = 120});
  add({.batch_size = 256, .train_seconds = 3, .status = "failed"});
  const auto findings = comparison_findings(compared());
  EXPECT_THAT(findings, Contains(testing::StartsWith("Fastest training: batch-size 32")));
  EXPECT_THAT(findings, Contains(HasSubstr("1 of them did not complete")));
  EXPECT_EQ(test_points(compared(), "train_seconds", true).size(), 2U);
}

TEST_F(Groups, FindingsMakeNoTestWhereNothingVaries) {
  for (const int seed : {1, 2}) {
    add({.batch_size = 32, .seed = seed, .top1 = 1});
    add({.batch_size = 256, .seed = seed, .top1 = 0.99});
  }
  EXPECT_THAT(comparison_findings(compared()), Contains(HasSubstr("the same number each time")));
  EXPECT_EQ(test_points(compared(), "val_top1", false)[1].verdict, "nothing varies");
}

TEST_F(Groups, FindingsTellWhereScalingStops) {
  add({.ranks = 1, .train_seconds = 12});
  add({.ranks = 2, .train_seconds = 6});
  add({.ranks = 4, .train_seconds = 6});
  EXPECT_THAT(scaling_findings(compared()),
              ElementsAre(testing::AllOf(HasSubstr("From 1 to 4 ranks"), HasSubstr("50 %"),
                                         HasSubstr("More ranks than 2 bring no more speed"))));
}

TEST_F(Groups, FindingsTellWhereMoreRanksAreSlower) {
  add({.ranks = 1, .train_seconds = 6});
  add({.ranks = 2, .train_seconds = 12});
  EXPECT_THAT(scaling_findings(compared()),
              ElementsAre(testing::AllOf(HasSubstr("images per second fall to 0.50 times: 25 %"),
                                         HasSubstr("More ranks than 1 bring no more speed"))));
}

TEST_F(Groups, FindingsOfARunNameItsWeakestClass) {
  add({});
  const auto findings = run_findings(runs_[0].run);
  EXPECT_THAT(findings, Contains(HasSubstr("'<two>' worst (80.00 %)")));
  EXPECT_THAT(findings, Contains(HasSubstr("takes '<two>' for 'one & only': 15 images")));
  EXPECT_THAT(findings, Contains(HasSubstr("95.0 % computing, 4.0 % waiting for other ranks")));
}

}  // namespace
}  // namespace yoke::study
