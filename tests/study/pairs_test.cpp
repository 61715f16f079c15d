// Points beside a base, run for run with the same seed.
#include "yoke/study/findings/pairs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "tests/study/runs.h"
#include "tests/support/support.h"
#include "yoke/run/summary.h"
#include "yoke/study/figures/figures.h"
#include "yoke/study/figures/gnuplot.h"
#include "yoke/study/figures/script.h"
#include "yoke/study/outcome.h"
#include "yoke/study/report/document.h"

namespace yoke::study {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class Pairs : public testing::Test {
 protected:
  void add(const std::string& name, int seed, double top1, const char* status = "completed") {
    const auto path = directory_.path() / fmt::format("run{}", runs_.size());
    test::make_run(path, {.seed = seed, .top1 = top1, .status = status});
    runs_.push_back({read_run(path), {{"case", name}}});
  }

  Comparison compared(const std::string& base) {
    Comparison comparison = compare_runs(runs_);
    comparison.base = base;
    return comparison;
  }

  test::TemporaryDirectory directory_;
  std::vector<NamedRun> runs_;
};

TEST_F(Pairs, AreOfRunsWithTheSameSeed) {
  add("base", 1, 0.90);
  add("base", 2, 0.91);
  add("base", 3, 0.89);
  add("worse", 2, 0.90);
  add("better", 3, 0.90);
  add("better", 1, 0.92);
  add("better", 2, 0.94);
  add("better", 4, 0.10);            // has no partner
  add("worse", 3, 0.10, "stopped");  // is not over
  const auto points = pair_points(compared("base"), key::kValTop1, false);
  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points[0].label, "better");
  const Sample& difference = points[0].difference;
  EXPECT_EQ(difference.n, 3);
  EXPECT_NEAR(difference.mean, 0.02, 1e-12);
  EXPECT_NEAR(difference.least, 0.01, 1e-12);
  EXPECT_NEAR(difference.most, 0.03, 1e-12);
  // Student's t of 2 degrees of freedom has 0.975 at 4.3027.
  EXPECT_NEAR(difference.interval.value().first, 0.02 - 4.3027 * 0.01 / std::sqrt(3.0), 1e-6);
  EXPECT_EQ(points[1].label, "worse");
  EXPECT_EQ(points[1].difference.n, 1);
  EXPECT_NEAR(points[1].difference.mean, -0.01, 1e-12);
  EXPECT_FALSE(points[1].difference.interval);
}

TEST_F(Pairs, ComeWithTheBestFirst) {
  add("base", 1, 0.90);
  add("a", 1, 0.80);
  add("b", 1, 0.95);
  const auto first = [&](const char* number, bool less_is_better) {
    return pair_points(compared("base"), number, less_is_better).front().label;
  };
  EXPECT_EQ(first(key::kValTop1, false), "b");
  EXPECT_EQ(first(key::kValLoss, true), "b");  // made up as 1 - top-1
}

TEST_F(Pairs, NeedABase) {
  add("base", 1, 0.90);
  add("other", 1, 0.95);
  EXPECT_THAT(pair_points(compared(""), key::kValTop1, false), IsEmpty());
  EXPECT_THAT(pair_points(compared("none such"), key::kValTop1, false), IsEmpty());
  EXPECT_THAT(summary_markdown("t", compared("")), Not(HasSubstr("same seed")));
}

TEST_F(Pairs, AreDrawnOnBothSidesOfZero) {
  add("base", 1, 0.90);
  add("base", 2, 0.90);
  add("other", 1, 0.91);
  add("other", 2, 0.93);
  add("worse", 1, 0.88);
  const auto figures = difference_figures(compared("base"));
  ASSERT_EQ(figures.size(), 1U);
  EXPECT_EQ(figures[0].title, "Accuracy beside 'base'");
  const auto& rows = std::get<Differences>(figures[0].graph).rows;
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].label, "other");
  EXPECT_NEAR(rows[0].value, 2, 1e-9);
  EXPECT_NEAR(rows[0].interval.value().first, -10.706, 1e-3);
  EXPECT_NEAR(rows[0].interval.value().second, 14.706, 1e-3);
  EXPECT_NEAR(rows[1].value, -2, 1e-9);
  EXPECT_FALSE(rows[1].interval);
  const std::string commands = script(figures[0]);
  EXPECT_THAT(commands, HasSubstr("\n2 0 -10.7062 14.7062\n-2 1 -2 -2\nEOD\n"));
  EXPECT_THAT(commands, HasSubstr("set xrange [-12.2309:16.2309]\n"));
  EXPECT_THAT(commands, HasSubstr("set label '-2.00' at -2,1"));
  EXPECT_THAT(draw_svg(figures, {{"PATH", std::getenv("PATH")}}), ElementsAre(HasSubstr("</svg>")));
  EXPECT_THAT(difference_figures(compared("")), IsEmpty());
}

TEST_F(Pairs, StandInReportAndSummary) {
  add("base", 1, 0.90);
  add("base", 2, 0.90);
  add("other", 1, 0.91);
  add("other", 2, 0.93);
  const auto comparison = compared("base");
  EXPECT_THAT(pairs_table(comparison).rows,
              ElementsAre(ElementsAre("other", "2", "+2.00", "-10.71 to +14.71", "-0.0200",
                                      "-0.1471 to +0.1071")));
  EXPECT_THAT(
      summary_markdown("t", comparison),
      HasSubstr("Less what 'base' has with the same seed:\n\n| point | pairs | least to most "
                "| mean | 95 % of the mean |\n| - | - | - | - | - |\n"
                "| other | 2 | +0.01 to +0.03 | +0.02 | -0.1071 to +0.1471 |\n"));
  const auto json = nlohmann::json::parse(summary_json("t", comparison));
  EXPECT_EQ(json["base"], "base");
  EXPECT_NEAR(json["less_base"]["val_top1"][0]["mean"].get<double>(), 0.02, 1e-12);
}

}  // namespace
}  // namespace yoke::study
