// Checkpoints against failures: the examples of Daly's paper, and limits.
#include "yoke/forecast/failures.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace yoke::forecast {
namespace {

constexpr double kMinute = 60, kHour = 3600;

FailureCosts daly(double mean_between) {
  return {.mean_between = mean_between, .checkpoint = 5 * kMinute, .restart = 10 * kMinute};
}

TEST(Failures, HaveTheIntervalsOfDalysExamples) {
  EXPECT_NEAR(daly_interval(daly(24 * kHour)) / kMinute, 117, 0.5);     // figure 3
  EXPECT_NEAR(daly_interval(daly(6 * kHour)) / kMinute, 57, 0.5);       // figure 4
  EXPECT_NEAR(daly_interval(daly(15 * kMinute)) / kMinute, 9.1, 0.05);  // figure 5
}

TEST(Failures, HaveTheMeanTimeAsIntervalWhenCheckpointsAreSlow) {
  EXPECT_DOUBLE_EQ(daly_interval({.mean_between = 10, .checkpoint = 20, .restart = 0}), 10);
  EXPECT_DOUBLE_EQ(daly_interval({.mean_between = 10, .checkpoint = 30, .restart = 0}), 10);
}

TEST(Failures, CostNothingWhenThereAreNone) {
  const FailureCosts never{.mean_between = 0, .checkpoint = 5, .restart = 60};
  EXPECT_TRUE(std::isinf(daly_interval(never)));
  EXPECT_EQ(failure_overhead(never, std::numeric_limits<double>::infinity()), 0);
  EXPECT_DOUBLE_EQ(failure_overhead(never, 100), 0.05);  // only checkpoints
}

TEST(Failures, CostWhatTheFormulaSays) {
  const FailureCosts costs{.mean_between = 100, .checkpoint = 1, .restart = 10};
  EXPECT_NEAR(failure_overhead(costs, 14), 100 * std::exp(0.1) * (std::exp(0.15) - 1) / 14 - 1,
              1e-12);
  // With rare failures: the checkpoints, half an interval, and the restart, each in proportion.
  const FailureCosts rare{.mean_between = 1e6, .checkpoint = 1, .restart = 10};
  EXPECT_NEAR(failure_overhead(rare, 1000), 1e-3 + 500e-6 + 10e-6 + 1e-6, 2e-6);
}

TEST(Failures, CostLeastNearDalysInterval) {
  for (const double mean_between : {15 * kMinute, 6 * kHour, 1000 * kHour}) {
    const auto costs = daly(mean_between);
    const double best = failure_overhead(costs, daly_interval(costs));
    EXPECT_LT(best, failure_overhead(costs, 0.7 * daly_interval(costs)));
    EXPECT_LT(best, failure_overhead(costs, 1.4 * daly_interval(costs)));
  }
}

}  // namespace
}  // namespace yoke::forecast
