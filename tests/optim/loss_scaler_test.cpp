// tests/optim/loss_scaler_test.cpp: how the loss scale moves.
#include "yoke/optim/loss_scaler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "yoke/core/error.h"

namespace yoke {
namespace {

using testing::ElementsAre;

void update(LossScaler& scaler, int steps, bool finite) {
  for (int i = 0; i < steps; ++i) scaler.update(finite);
}

TEST(LossScaler, BeginsAsApexDoesAndDoublesAfter2000GoodSteps) {
  LossScaler scaler;
  update(scaler, 1999, true);
  EXPECT_EQ(scaler.scale(), 65536);
  scaler.update(true);
  EXPECT_EQ(scaler.scale(), 131072);
  update(scaler, 2000, true);
  EXPECT_EQ(scaler.scale(), 262144);
}

TEST(LossScaler, HalvesOnOverflowAndCountsGoodStepsAnew) {
  LossScaler scaler({.initial = 8, .growth_interval = 3});
  update(scaler, 2, true);
  scaler.update(false);
  EXPECT_EQ(scaler.scale(), 4);
  update(scaler, 2, true);
  EXPECT_EQ(scaler.scale(), 4);
  scaler.update(true);
  EXPECT_EQ(scaler.scale(), 8);
  EXPECT_EQ(scaler.skipped(), 1);
}

TEST(LossScaler, TellsOfEachSkippedStepOnce) {
  LossScaler scaler;
  update(scaler, 2, false);
  EXPECT_THAT(
      scaler.take_events(),
      ElementsAre("Gradient overflow. Skipping step, loss scaler 0 reducing loss scale to 32768",
                  "Gradient overflow. Skipping step, loss scaler 0 reducing loss scale to 16384"));
  EXPECT_THAT(scaler.take_events(), ElementsAre());
}

TEST(LossScaler, StaysAtTheLargestScale) {
  LossScaler scaler({.growth_interval = 1});
  update(scaler, 100, true);
  EXPECT_EQ(scaler.scale(), 1 << 24);
}

TEST(LossScaler, GivesUpWhereNoScaleIsSmallEnough) {
  LossScaler scaler;
  update(scaler, 40, false);  // 2^16 to 2^-24
  EXPECT_THROW(scaler.update(false), Error);
}

TEST(LossScaler, GoesOnFromItsState) {
  LossScaler first({.initial = 8, .growth_interval = 3}), second({.growth_interval = 3});
  first.update(false);
  update(first, 2, true);
  const auto from = first.state();
  auto to = second.state();
  for (std::size_t i = 0; i < from.size(); ++i) to[i].second.copy_(from[i].second);
  EXPECT_EQ(second.scale(), 4);
  second.update(true);
  EXPECT_EQ(second.scale(), 8) << "the third good step";
}

TEST(LossScaler, FitsStateOfRunsOfAnotherPrecision) {
  const auto names = [](const NamedTensors& tensors) {
    std::vector<std::string> names;
    for (const auto& item : tensors) names.push_back(item.first);
    return names;
  };
  const LossScaler scaler;
  NamedTensors plain = {{"steps", torch::zeros({1})}}, scaled = plain;
  for (const auto& item : scaler.state()) scaled.push_back(item);
  ASSERT_EQ(scaled.size(), 3U);
  EXPECT_EQ(names(with_scale_of(plain, &scaler)), names(scaled));
  EXPECT_EQ(names(with_scale_of(scaled, &scaler)), names(scaled));
  EXPECT_EQ(names(with_scale_of(scaled, nullptr)), names(plain));
  EXPECT_EQ(names(with_scale_of(plain, nullptr)), names(plain));
}

}  // namespace
}  // namespace yoke
