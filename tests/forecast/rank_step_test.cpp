// A rank's own step, read from a calibration.
#include "yoke/forecast/rank_step.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/forecast/calibrated.h"
#include "yoke/core/error.h"

namespace yoke::forecast {
namespace {

using test::free_cluster;
using test::round_calibration;
using testing::ElementsAre;
using testing::Pair;

Cluster with_cores(double cores, int ranks = 1) {
  Cluster cluster = free_cluster(1);
  cluster.cores_per_host = cores;
  cluster.ranks_per_host = cluster.beside = ranks;
  return cluster;
}

TEST(RankStep, ReadsTheMeasuredLine) {
  const auto calibration = round_calibration();
  const auto at = [&](double images) {
    return rank_step(calibration, with_cores(1), images, Case::kTypical);
  };
  EXPECT_NEAR(at(256).seconds, 26.6e-3, 1e-12);
  EXPECT_NEAR(at(100).seconds, 11e-3, 1e-12);
  EXPECT_NEAR(at(1).seconds, 1.1e-3, 1e-12);
  EXPECT_NEAR(at(1000).seconds, 101e-3, 1e-12);
  EXPECT_NEAR(at(100).gradient, 6.6e-3, 1e-12);
  EXPECT_NEAR(at(100).memory_bytes, 100'100'000, 1);
}

TEST(RankStep, NeedsTheLayoutOfTheHost) {
  EXPECT_THAT(needed_layouts(2, with_cores(2, 1)), ElementsAre(Pair(1, 2)));
  EXPECT_THAT(needed_layouts(2, with_cores(2, 2)), ElementsAre(Pair(2, 1)));
  EXPECT_THAT(needed_layouts(2, with_cores(2, 4)), ElementsAre(Pair(2, 1)));
  EXPECT_THAT(needed_layouts(2, with_cores(1, 1)), ElementsAre(Pair(1, 1)));
  EXPECT_THAT(needed_layouts(2, with_cores(8, 1)), ElementsAre(Pair(1, 1), Pair(1, 2)));
  EXPECT_THAT(needed_layouts(8, with_cores(8, 2)), ElementsAre(Pair(2, 4)));
  Cluster beside = with_cores(1, 1);
  beside.beside = 2;
  EXPECT_THAT(needed_layouts(2, beside), ElementsAre(Pair(2, 1)));
}

TEST(RankStep, TakesLongerWhenRanksShareCores) {
  const auto calibration = round_calibration();
  EXPECT_NEAR(rank_step(calibration, with_cores(2, 4), 64, Case::kTypical).seconds, 2 * 7.4e-3,
              1e-12);
  EXPECT_NEAR(rank_step(calibration, with_cores(0.5), 64, Case::kTypical).seconds, 2 * 7.4e-3,
              1e-12);
  // Three on two cores: two of them share one.
  const auto three = [&](Case which) {
    return rank_step(calibration, with_cores(2, 3), 64, which).seconds;
  };
  EXPECT_NEAR(three(Case::kLow), 1.5 * 7.4e-3, 1e-12);
  EXPECT_NEAR(three(Case::kTypical), 1.75 * 7.4e-3, 1e-12);
  EXPECT_NEAR(three(Case::kHigh), 2 * 7.4e-3, 1e-12);
  EXPECT_NEAR(rank_step(calibration, with_cores(0.3333333333), 64, Case::kHigh).seconds, 3 * 7.4e-3,
              1e-10);
}

TEST(RankStep, SpeedsUpOnMoreCoresByAmdahlsLaw) {
  auto calibration = round_calibration();
  const auto on = [&](double cores, Case which) {
    return rank_step(calibration, with_cores(cores), 64, which).seconds;
  };
  EXPECT_NEAR(on(8, Case::kTypical), 7.4e-3 / 8, 1e-12);  // all of it is shared out
  EXPECT_NEAR(on(8, Case::kHigh), 7.4e-3 / 2, 1e-12);     // as on two
  for (auto& batch : calibration.layouts[1].batches) {    // half of it is
    for (double* const seconds : {&batch.mean, &batch.lower, &batch.upper}) *seconds *= 1.5;
  }
  EXPECT_NEAR(on(8, Case::kTypical), 7.4e-3 * (0.5 + 0.5 / 8), 1e-12);
  EXPECT_NEAR(on(8, Case::kLow), 7.4e-3 * 0.75 / 4, 1e-12);
}

TEST(RankStep, StaysAboveZeroWhenThreadsSpeedUpMoreThanTheirNumber) {
  // 7.4 ms on one thread, 2 ms on two: as if all of it were shared out, but no longer than on two.
  auto calibration = round_calibration();
  for (auto& batch : calibration.layouts[1].batches) {
    for (double* const seconds : {&batch.mean, &batch.lower, &batch.upper}) *seconds *= 2 / 3.7;
  }
  const auto on = [&](double cores, Case which) {
    return rank_step(calibration, with_cores(cores), 64, which).seconds;
  };
  EXPECT_NEAR(on(8, Case::kLow), 2e-3 / 4, 1e-12);
  EXPECT_NEAR(on(8, Case::kTypical), 7.4e-3 / 8, 1e-12);
  EXPECT_NEAR(on(8, Case::kHigh), 2e-3, 1e-12);
  EXPECT_NEAR(on(3, Case::kTypical), 2e-3, 1e-12);
}

TEST(RankStep, HasCasesInOrderWhenTheirLinesCross) {
  // Of 64 and 256 images. At 1 the line of the means is at 0.0125 ms, that of the lower quartiles
  // at 0.1421875. That of the upper ones is below 0 there, so that they are in proportion: 0.08125.
  auto calibration = round_calibration();
  auto& batches = calibration.layouts[0].batches;
  batches.erase(batches.begin());
  const auto set = [](BatchTimes& times, double lower, double mean, double upper) {
    times.lower = lower * 1e-3;
    times.mean = mean * 1e-3;
    times.upper = upper * 1e-3;
  };
  set(batches[0], 4.9, 5.0, 5.2);
  set(batches[1], 19.4, 20.2, 21.2);
  const auto in = [&](Case which) {
    return rank_step(calibration, with_cores(1), 1, which).seconds;
  };
  EXPECT_NEAR(in(Case::kLow), 0.0125e-3, 1e-12);
  EXPECT_NEAR(in(Case::kTypical), 0.08125e-3, 1e-12);
  EXPECT_NEAR(in(Case::kHigh), 0.1421875e-3, 1e-12);
}

TEST(RankStep, HasARangeOfTheMeasuredSpread) {
  auto calibration = round_calibration();
  auto& batch = calibration.layouts[0].batches.back();
  batch.lower = 0.9 * batch.mean;
  batch.upper = 1.2 * batch.mean;
  batch.spread = 0.2;
  const auto in = [&](Case which) { return rank_step(calibration, with_cores(1), 256, which); };
  EXPECT_NEAR(in(Case::kLow).seconds, 0.9 * 26.6e-3, 1e-12);
  EXPECT_NEAR(in(Case::kHigh).seconds, 1.2 * 26.6e-3, 1e-12);
  EXPECT_LT(in(Case::kLow).spread, 0.2);
  EXPECT_NEAR(in(Case::kTypical).spread, 0.2, 1e-12);
  EXPECT_GT(in(Case::kHigh).spread, 0.2);
}

TEST(RankStep, ReadsTheSpreadByImages) {
  auto calibration = round_calibration();
  auto& batches = calibration.layouts[0].batches;  // of 4, 64 and 256 images
  batches[0].spread = 0.4;
  batches[1].spread = 0.3;
  batches[2].spread = 0.1;
  const auto with = [&](double images, Case which) {
    return rank_step(calibration, with_cores(1), images, which).spread;
  };
  EXPECT_NEAR(with(34, Case::kTypical), 0.35, 1e-12);
  EXPECT_NEAR(with(160, Case::kTypical), 0.2, 1e-12);
  EXPECT_NEAR(with(1, Case::kTypical), 0.4, 1e-12);
  EXPECT_NEAR(with(1000, Case::kTypical), 0.1, 1e-12);
  for (auto& batch : batches) batch.samples = 51;  // a standard error of a tenth
  EXPECT_NEAR(with(160, Case::kLow), 0.2 * 0.8, 1e-12);
  EXPECT_NEAR(with(160, Case::kHigh), 0.2 * 1.2, 1e-12);
}

TEST(RankStep, RefusesALayoutThatWasNotMeasured) {
  auto calibration = round_calibration();
  calibration.layouts.pop_back();
  EXPECT_THROW(rank_step(calibration, with_cores(2, 2), 64, Case::kTypical), UsageError);
}

}  // namespace
}  // namespace yoke::forecast
