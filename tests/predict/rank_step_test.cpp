// A rank's own step, read from a calibration.
#include "yoke/predict/rank_step.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/predict/calibrated.h"
#include "yoke/core/error.h"

namespace yoke::predict {
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
  EXPECT_EQ(in(Case::kTypical).spread, 0.2);
  EXPECT_GT(in(Case::kHigh).spread, 0.2);
}

TEST(RankStep, RefusesALayoutThatWasNotMeasured) {
  auto calibration = round_calibration();
  calibration.layouts.pop_back();
  EXPECT_THROW(rank_step(calibration, with_cores(2, 2), 64, Case::kTypical), UsageError);
}

}  // namespace
}  // namespace yoke::predict
