#include "yoke/train/evaluation/accuracy.h"

#include <gtest/gtest.h>

#include <limits>

#include "yoke/core/error.h"
#include "yoke/train/meter.h"

namespace yoke {
namespace {

std::vector<std::int64_t> ranks(const torch::Tensor& scores, std::vector<std::int64_t> target) {
  const auto result = ranks_of_target(scores, torch::tensor(target));
  return {result.data_ptr<std::int64_t>(), result.data_ptr<std::int64_t>() + result.numel()};
}

TEST(RanksOfTarget, CountsBetterScores) {
  const auto scores = torch::tensor({{0.1F, 0.5F, 0.3F}, {0.1F, 0.5F, 0.3F}, {0.1F, 0.5F, 0.3F}});
  EXPECT_EQ(ranks(scores, {0, 1, 2}), (std::vector<std::int64_t>{2, 0, 1}));
}

TEST(RanksOfTarget, LowerClassWinsAmongEqualScores) {
  EXPECT_EQ(ranks(torch::zeros({3, 3}), {0, 1, 2}), (std::vector<std::int64_t>{0, 1, 2}));
}

TEST(RanksOfTarget, WhatIsNotANumberIsWrong) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto scores = torch::tensor({{nan, 1.0F, 0.0F}, {nan, 1.0F, 0.0F}});
  const auto result = ranks(scores, {0, 1});
  EXPECT_GT(result[0], 0);
  EXPECT_GT(result[1], 0);
}

TEST(RanksOfTarget, RefusesClassesThatThereAreNot) {
  EXPECT_THROW(ranks(torch::zeros({2, 3}), {0, 3}), Error);
  EXPECT_THROW(ranks(torch::zeros({2, 3}), {-1, 0}), Error);
}

TEST(Meter, WeighsBatchesByImages) {
  Meter meter;
  meter.add(torch::tensor(1.0F), torch::tensor({0, 1, 7}, torch::kInt64));
  meter.add(torch::tensor(5.0F), torch::tensor({0}, torch::kInt64));
  EXPECT_DOUBLE_EQ(meter.loss(), 2.0);
  EXPECT_DOUBLE_EQ(meter.top1(), 0.5);
  EXPECT_DOUBLE_EQ(meter.top5(), 0.75);
}

}  // namespace
}  // namespace yoke
