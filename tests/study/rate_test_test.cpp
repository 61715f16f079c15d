// The range test of learning rates, on curves of which everything is known.
#include "yoke/study/rate_test.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "yoke/core/error.h"
#include "yoke/study/figures/rate_figure.h"
#include "yoke/study/figures/script.h"

namespace yoke::study {
namespace {

using testing::HasSubstr;

/// Ten steps to a decade.
const RateRange kDecades{.from = 1e-7, .to = 10, .steps = 81};

/// A test whose smoothed loss is `curve` of log10(lr): each loss is what moves the mean there.
RateTest with_smoothed(const std::function<double(double)>& curve) {
  constexpr double kDecay = 0.98;
  RateTest test(kDecades);
  double before = 0;  // weights times the mean
  for (int i = 0; test.goes_on(); ++i) {
    const double weights = (1 - std::pow(kDecay, i + 1)) / (1 - kDecay);
    const double sum = weights * curve(std::log10(kDecades.lr(i)));
    test.add(sum - kDecay * before);
    before = sum;
  }
  return test;
}

/// From 2.3 down to 0.3 along a cosine, steepest at 1e-3, least at 1e-2; then up as a parabola.
double fall_and_rise(double x) {
  if (x < -4) return 2.3;
  if (x > -2) return 0.3 + (x + 2) * (x + 2);
  return 1.3 + std::cos((x + 4) / 2 * std::numbers::pi);
}

TEST(RateRange, RisesByOneFactorFromEndToEnd) {
  EXPECT_DOUBLE_EQ(kDecades.lr(0), 1e-7);
  EXPECT_NEAR(kDecades.lr(80), 10, 1e-12);
  EXPECT_NEAR(kDecades.lr(30), 1e-4, 1e-16);
}

TEST(RateRange, RefusesWhatIsNoTest) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN(),
                   kInfinity = std::numeric_limits<double>::infinity();
  for (const RateRange& range :
       {RateRange{0, 1}, RateRange{-1, 1}, RateRange{1, 1}, RateRange{1, 0.1}, RateRange{kNone, 1},
        RateRange{1, kNone}, RateRange{1, kInfinity}, RateRange{1e-3, 1, 9}}) {
    EXPECT_THROW(validate(range), UsageError) << range.from << ' ' << range.to;
    EXPECT_THROW(RateTest{range}, UsageError);
  }
  EXPECT_NO_THROW(validate({1e-3, 1, 10}));
}

TEST(RateTest, SmoothsByWeightsThatFallToTheBeginning) {
  RateTest test({.from = 1e-3, .to = 1, .steps = 10});
  const std::vector<double> losses = {2, 1, 4, 3};
  for (const double loss : losses) test.add(loss);
  double sum = 0, weights = 0;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    sum = 0.98 * sum + losses[i];
    weights = 0.98 * weights + 1;
    EXPECT_DOUBLE_EQ(test.points()[i].loss, losses[i]);
    EXPECT_NEAR(test.points()[i].smoothed, sum / weights, 1e-12);
  }
  EXPECT_NEAR(test.best(), (0.98 * 2 + 1) / 1.98, 1e-12);
}

TEST(RateTest, TakesAllStepsWhileTheLossStaysBelowFourTimesItsLeast) {
  const auto test = with_smoothed([](double x) { return x < -3 ? 1 : 3.99; });
  EXPECT_EQ(test.taken(), 81);
  EXPECT_FALSE(test.diverged());
}

TEST(RateTest, EndsAboveFourTimesTheLeastSmoothedLoss) {
  const auto test = with_smoothed([](double x) { return x < -3.05 ? 1 : 4.01; });
  EXPECT_EQ(test.taken(), 41);  // the first at 1e-3
  EXPECT_TRUE(test.diverged());
}

TEST(RateTest, EndsWithALossThatIsNoNumber) {
  for (const double loss :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    RateTest test(kDecades);
    test.add(2.3);
    test.add(loss);
    EXPECT_FALSE(test.goes_on());
    EXPECT_TRUE(test.diverged());
    EXPECT_DOUBLE_EQ(test.best(), 2.3);
    EXPECT_FALSE(test.suggestions());
    RateTest at_once(kDecades);
    at_once.add(loss);
    EXPECT_TRUE(at_once.diverged());
  }
}

TEST(RateTest, SuggestsTheSteepestPointAndATenthOfTheLeast) {
  const auto test = with_smoothed(fall_and_rise);
  EXPECT_TRUE(test.diverged());
  const auto suggested = test.suggestions();
  ASSERT_TRUE(suggested);
  EXPECT_NEAR(suggested->minimum, 1e-3, 1e-9);
  // The pieces before and after 1e-3 are equally steep, but for rounding.
  EXPECT_NEAR(std::log10(suggested->steep), -3.05, 0.051);
  EXPECT_FALSE(suggested->at_end);
  EXPECT_FALSE(suggested->slight);
}

TEST(RateTest, LooksForTheSteepestPointBeforeTheLeast) {
  const auto test = with_smoothed([](double x) {
    if (x > -0.5) return 0.5;  // straight down after the rise, as a mean that forgets
    return fall_and_rise(x) > 1 && x > -2 ? 1.0 : fall_and_rise(x);
  });
  EXPECT_FALSE(test.diverged());
  ASSERT_TRUE(test.suggestions());
  EXPECT_NEAR(std::log10(test.suggestions()->steep), -3.05, 0.051);
  EXPECT_FALSE(test.suggestions()->at_end);
}

TEST(RateTest, LeavesOutTheFirstTenthAndTheLastFive) {
  // Least of all at 1e-7 and at the end: neither counts.
  const auto test = with_smoothed([](double x) {
    if (x < -6.95 || x > 0.55) return 2.1;
    return 2 + fall_and_rise(std::min(x, -1.5));
  });
  ASSERT_TRUE(test.suggestions());
  EXPECT_NEAR(test.suggestions()->minimum, 1e-3, 1e-9);
}

TEST(RateTest, SaysThatTheLossWasLeastAtTheEnd) {
  const auto test = with_smoothed([](double x) { return 2.3 - 0.1 * (x + 7); });
  const auto suggested = test.suggestions();
  ASSERT_TRUE(suggested);
  EXPECT_TRUE(suggested->at_end);
  EXPECT_NEAR(std::log10(suggested->minimum), -0.5, 1e-9);  // the last but five, a tenth of it
}

TEST(RateTest, SaysThatALossScattersMoreThanItFell) {
  for (const double fall : {0.01, 0.5}) {
    RateTest test(kDecades);
    for (int i = 0; test.goes_on(); ++i) {
      test.add(2.3 + (i % 2 == 0 ? 0.05 : -0.05) - fall * static_cast<double>(i) / 40);
    }
    ASSERT_TRUE(test.suggestions());
    EXPECT_EQ(test.suggestions()->slight, fall < 0.1) << fall;
  }
}

TEST(RateTest, SuggestsNothingWhereTheLossNeverFell) {
  EXPECT_FALSE(with_smoothed([](double x) { return 2.3 + 0.1 * (x + 7); }).suggestions());
  EXPECT_FALSE(RateTest(kDecades).suggestions());
}

TEST(RateFigure, ShowsBothLossesOverTheRateAndWhatIsSuggested) {
  const auto commands = script(rate_figure(with_smoothed(fall_and_rise), "mlp on glyphs"));
  for (const char* const part :
       {"set title 'mlp on glyphs'", "set xlabel 'learning rate'",
        "set logscale x\nset format x '%g'", "set ylabel 'cross-entropy per image (nats)'",
        "set yrange [0<*:*<2.875]", "title 'smoothed'", "title 'each step'",
        "title 'minimum / 10: 0.001'", "title 'steepest descent: 0.0"}) {
    EXPECT_THAT(commands, HasSubstr(part));
  }
}

TEST(RateFigure, LeavesOutWhatIsNoNumber) {
  RateTest test(kDecades);
  test.add(2.3);
  test.add(std::numeric_limits<double>::infinity());
  const auto commands = script(rate_figure(test, "x"));
  EXPECT_THAT(commands, testing::Not(HasSubstr("inf")));
  EXPECT_THAT(commands, testing::Not(HasSubstr("minimum")));
}

}  // namespace
}  // namespace yoke::study
