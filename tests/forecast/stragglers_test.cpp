// The slowest of many, against values known in closed form or from tables.
#include "yoke/forecast/stragglers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace yoke::forecast {
namespace {

TEST(Stragglers, CostNothingWhenAloneOrAllAlike) {
  EXPECT_EQ(slowest_of(1, 0.5), 1);
  EXPECT_EQ(slowest_of(0, 0.5), 1);
  EXPECT_EQ(slowest_of(10'000, 0), 1);
}

TEST(Stragglers, MatchTheClosedFormOfTwo) {
  // The larger of two lognormal times has mean 2 Phi(s / sqrt 2) times theirs.
  for (const double spread : {0.01, 0.5, 1.5}) {
    const double phi = 0.5 * std::erfc(-spread / 2);
    EXPECT_NEAR(slowest_of(2, spread), 2 * phi, 1e-6);
  }
}

TEST(Stragglers, MatchTheNormalTableWhenTheSpreadIsSmall) {
  // The expected largest of n standard normal numbers (Harter 1961).
  EXPECT_NEAR((slowest_of(10, 1e-4) - 1) / 1e-4, 1.53875, 1e-3);
  EXPECT_NEAR((slowest_of(100, 1e-4) - 1) / 1e-4, 2.50759, 1e-3);
  EXPECT_NEAR((slowest_of(1000, 1e-4) - 1) / 1e-4, 3.24144, 1e-3);
}

TEST(Stragglers, CostMoreTheMoreThereAreAndTheMoreTheyDiffer) {
  double before = 1;
  for (std::int64_t count = 2; count <= 1'000'000; count *= 2) {
    const double found = slowest_of(count, 0.1);
    EXPECT_GT(found, before);
    EXPECT_LT(found, slowest_of(count, 0.2));
    before = found;
  }
  EXPECT_LT(before, 2);
}

TEST(Stragglers, HaveTheSpreadOfTheMeanAndVarianceOfSamples) {
  // Mean 2 and variance 2, both by hand.
  EXPECT_NEAR(spread_of_samples(std::vector<double>{1, 3}), std::sqrt(std::log(1.5)), 1e-12);
  // A tenth of the steps takes twice as long, which quartiles do not see: mean 1.1, variance 0.1.
  std::vector<double> tail(10, 1.0);
  tail.back() = 2;
  EXPECT_NEAR(spread_of_samples(tail), std::sqrt(std::log(1 + 0.1 / 1.21)), 1e-12);
  EXPECT_EQ(spread_of_samples(std::vector<double>(5, 0.5)), 0);
  EXPECT_EQ(spread_of_samples(std::vector<double>{7}), 0);
}

TEST(Stragglers, EvenOutOverSteps) {
  EXPECT_NEAR(spread_of_sum(0.3, 1), 0.3, 1e-12);
  EXPECT_NEAR(spread_of_sum(0.01, 100), 0.001, 1e-6);
  EXPECT_EQ(spread_of_sum(0.3, std::numeric_limits<double>::infinity()), 0);
}

}  // namespace
}  // namespace yoke::forecast
