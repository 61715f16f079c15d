#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yoke/core/error.h"
#include "yoke/optim/schedule.h"

namespace yoke {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr ScheduleInput kInput{.lr = 0.4, .total_steps = 12, .steps_per_epoch = 3};

std::vector<double> rates_at(const std::string& text, const std::vector<std::int64_t>& steps,
                             const ScheduleInput& input = kInput) {
  const Schedule schedule = make_schedule(text, input);
  std::vector<double> rates;
  for (const auto step : steps) rates.push_back(schedule(step).lr);
  return rates;
}

auto near(double value) { return DoubleNear(value, 1e-12); }

TEST(ConstantSchedule, KeepsTheRate) {
  EXPECT_THAT(rates_at("constant", {0, 5, 11}), ElementsAre(0.4, 0.4, 0.4));
}

TEST(StepSchedule, FallsByGammaEveryStepSizeEpochs) {
  EXPECT_THAT(rates_at("step:step_size=2,gamma=0.5", {0, 5, 6, 11}),
              ElementsAre(near(0.4), near(0.4), near(0.2), near(0.2)));
  EXPECT_THAT(rates_at("step:step_size=1", {2, 3, 6}),
              ElementsAre(near(0.4), near(0.04), near(0.004)));
}

TEST(CosineSchedule, FallsAlongHalfACosine) {
  EXPECT_THAT(rates_at("cosine", {0, 4, 6, 8}),
              ElementsAre(near(0.4), near(0.3), near(0.2), near(0.1)));
  EXPECT_THAT(rates_at("cosine:min_lr=0.2", {0, 6}), ElementsAre(near(0.4), near(0.3)));
}

TEST(CosineSchedule, RefusesMinimumAboveTheRate) {
  EXPECT_THROW(make_schedule("cosine:min_lr=0.5", kInput), UsageError);
}

TEST(OneCycleSchedule, RisesThenFallsAndMomentumGoesTheOtherWay) {
  // Linear, of 11 steps: up over steps 0 to 4.5, the end at step 10.
  const ScheduleInput input{.lr = 1, .total_steps = 11, .steps_per_epoch = 1};
  const Schedule schedule = make_schedule(
      "onecycle:anneal_strategy=linear,pct_start=0.5,div_factor=10,final_div_factor=100", input);
  EXPECT_THAT(schedule(0).lr, near(0.1));
  EXPECT_THAT(schedule(3).lr, near(0.1 + 0.9 * 3 / 4.5));
  EXPECT_THAT(schedule(10).lr, near(0.001));
  EXPECT_THAT(schedule(0).momentum.value(), near(0.95));
  EXPECT_THAT(schedule(3).momentum.value(), near(0.95 - 0.1 * 3 / 4.5));
  EXPECT_THAT(schedule(10).momentum.value(), near(0.95));
}

TEST(OneCycleSchedule, LeavesMomentumAloneWhenToldTo) {
  EXPECT_FALSE(make_schedule("onecycle:cycle_momentum=false", kInput)(3).momentum.has_value());
}

TEST(OneCycleSchedule, PeaksAtMaxLrRatherThanAtTheRate) {
  // 40 % of 10 steps: the peak is at step 3.
  const ScheduleInput input{.lr = 0.4, .total_steps = 10, .steps_per_epoch = 1};
  EXPECT_THAT(rates_at("onecycle:max_lr=2,pct_start=0.4", {3}, input), ElementsAre(near(2)));
  EXPECT_THAT(rates_at("onecycle:pct_start=0.4", {3}, input), ElementsAre(near(0.4)));
}

TEST(OneCycleSchedule, StartsAtThePeakWhenTheRiseIsOneStep) {
  // 10 % of 10 steps; PyTorch divides by zero here.
  const ScheduleInput input{.lr = 0.4, .total_steps = 10, .steps_per_epoch = 1};
  EXPECT_THAT(rates_at("onecycle:pct_start=0.1", {0}, input), ElementsAre(near(0.4)));
}

TEST(WarmupSchedule, RisesToTheNextScheduleAndGoesOnWithIt) {
  EXPECT_THAT(rates_at("warmup:epochs=2,start=0.25,then=constant", {0, 2, 4, 6, 11}),
              ElementsAre(near(0.1), near(0.2), near(0.3), near(0.4), near(0.4)));
  // Four steps up, then a cosine over the eight left.
  EXPECT_THAT(rates_at("warmup:steps=4,start=0,min_lr=0.2", {0, 1, 4, 8}),
              ElementsAre(near(0), near(0.1), near(0.4), near(0.3)));
  EXPECT_THAT(rates_at("warmup:epochs=1,then=step,step_size=1,gamma=0.5", {3, 5, 6}),
              ElementsAre(near(0.4), near(0.4), near(0.2)));
}

TEST(WarmupSchedule, RisesToTheFirstRateOfTheNext) {
  const auto rates = rates_at("warmup:steps=4,start=0,then=onecycle,div_factor=10", {2, 4});
  EXPECT_THAT(rates, ElementsAre(near(0.02), near(0.04)));
}

TEST(WarmupSchedule, MayBeLongerThanTheRun) {
  EXPECT_THAT(rates_at("warmup:epochs=100,start=0,then=constant", {0, 3}),
              ElementsAre(near(0), near(0.004)));
}

TEST(WarmupSchedule, RefusesItselfAndTwoLengths) {
  EXPECT_THROW(make_schedule("warmup:then=warmup", kInput), UsageError);
  EXPECT_THROW(make_schedule("warmup:epochs=1,steps=3", kInput), UsageError);
  EXPECT_THROW(make_schedule("warmup:then=constant,min_lr=0.1", kInput), UsageError);
}

TEST(MakeSchedule, HoldsTheLastValueBeyondTheRun) {
  for (const std::string text : {"cosine", "onecycle", "step:step_size=1"}) {
    const auto rates = rates_at(text, {11, 12, 1'000'000});
    EXPECT_EQ(rates[1], rates[0]) << text;
    EXPECT_EQ(rates[2], rates[0]) << text;
  }
}

TEST(MakeSchedule, RefusesNegativeRateAndUnknownName) {
  EXPECT_THROW(make_schedule("cosine", {.lr = -1, .total_steps = 1, .steps_per_epoch = 1}),
               UsageError);
  try {
    make_schedule("cosin", kInput);
    FAIL() << "an unknown schedule was made";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("did you mean 'cosine'?"));
  }
}

}  // namespace
}  // namespace yoke
