#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "yoke/core/error.h"
#include "yoke/optim/schedule.h"

namespace yoke {
namespace {

using testing::AllOf;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;

const ScheduleInput kInput{.lr = 0.4, .total_steps = 12, .epochs = Epochs(3)};

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

/// Epochs of 6, 6, 2, 2, ... steps.
Epochs shorter_epochs() {
  return Epochs(SizesByEpoch::parse("0:6,2:2", "steps", {.most = 9, .example = ""}));
}

TEST(SchedulesOfEpochs, FollowEpochsOfDifferentLengths) {
  const Epochs epochs = shorter_epochs();
  for (const char* const text :
       {"step:step_size=2,gamma=0.5", "multi-step:milestones=1+3,gamma=0.1", "exponential",
        "cosine-restarts:t_0=1,t_mult=2", "cosine-restarts:t_0=2",
        "warmup:epochs=3,then=step,step_size=1"}) {
    SCOPED_TRACE(text);
    const auto changing = make_schedule(text, {.lr = 1, .total_steps = 30, .epochs = epochs});
    const auto equal = make_schedule(text, {.lr = 1, .total_steps = 30, .epochs = Epochs(2)});
    const bool rises = std::string_view(text).starts_with("warmup");
    for (std::int64_t epoch = rises ? 3 : 0; epoch < 8; ++epoch) {
      EXPECT_THAT(changing(epochs.first_step(epoch)).lr, near(equal(2 * epoch).lr)) << epoch;
    }
  }
  EXPECT_THAT(rates_at("warmup:epochs=3,start=0", {0, 7, 13, 14},
                       {.lr = 1.4, .total_steps = 15, .epochs = epochs}),
              ElementsAre(near(0), near(0.7), near(1.3), near(1.4)));  // 14 steps, one by one
}

TEST(MultiStepSchedule, FallsByGammaWhereAMilestoneBegins) {
  EXPECT_THAT(rates_at("multi-step:milestones=1+3,gamma=0.5", {0, 2, 3, 8, 9, 11}),
              ElementsAre(near(0.4), near(0.4), near(0.2), near(0.2), near(0.1), near(0.1)));
  EXPECT_THAT(rates_at("multi-step:milestones=4", {11}), ElementsAre(near(0.4)));
}

TEST(MultiStepSchedule, RefusesMilestonesThatAreNoneOrDoNotRise) {
  for (const std::string milestones :
       {"", "+", "2+", "+2", "3+2", "2+2", "0", "0+1", "-1", "1.5", "two", "1+two",
        "9223372036854775807+1", "9223372036854775808"}) {
    EXPECT_THAT([&] { make_schedule("multi-step:milestones=" + milestones, kInput); },
                testing::ThrowsMessage<UsageError>(AllOf(
                    HasSubstr("'milestones' of schedule 'multi-step' is '" + milestones + "'"),
                    HasSubstr("allowed: rising whole numbers of at least 1"))));
  }
}

TEST(ExponentialSchedule, FallsByGammaEveryEpoch) {
  EXPECT_THAT(rates_at("exponential:gamma=0.5", {0, 2, 3, 5, 6, 11}),
              ElementsAre(near(0.4), near(0.4), near(0.2), near(0.2), near(0.1), near(0.05)));
}

TEST(PolynomialSchedule, FallsByAPowerOfWhatIsLeft) {
  EXPECT_THAT(rates_at("polynomial", {0, 3, 6, 11}),
              ElementsAre(near(0.4), near(0.3), near(0.2), near(0.4 / 12)));
  EXPECT_THAT(rates_at("polynomial:power=2,min_lr=0.2", {0, 6, 9}),
              ElementsAre(near(0.4), near(0.25), near(0.2 + 0.2 / 16)));
}

TEST(CosineSchedule, FallsAlongHalfACosine) {
  EXPECT_THAT(rates_at("cosine", {0, 4, 6, 8}),
              ElementsAre(near(0.4), near(0.3), near(0.2), near(0.1)));
  EXPECT_THAT(rates_at("cosine:min_lr=0.2", {0, 6}), ElementsAre(near(0.4), near(0.3)));
}

TEST(CosineRestartsSchedule, BeginsAnewAfterEachPeriod) {
  // Of 3 steps, 6 and 12, the last of which the run does not end.
  EXPECT_THAT(rates_at("cosine-restarts:t_0=1,t_mult=2", {0, 1, 3, 6, 9}),
              ElementsAre(near(0.4), near(0.3), near(0.4), near(0.2), near(0.4)));
  EXPECT_THAT(rates_at("cosine-restarts:t_0=2,min_lr=0.2", {0, 3, 6, 9, 11}),
              ElementsAre(near(0.4), near(0.3), near(0.4), near(0.3),
                          near(0.2 + 0.1 * (1 - std::sqrt(0.75)))));
}

TEST(SchedulesWithAMinimum, RefuseOneAboveTheRate) {
  for (const std::string name : {"cosine", "cosine-restarts", "polynomial"}) {
    EXPECT_THAT(rates_at(name + ":min_lr=0.4", {0, 7}), ElementsAre(near(0.4), near(0.4)));
    EXPECT_THAT([&] { make_schedule(name + ":min_lr=0.5", kInput); },
                testing::ThrowsMessage<UsageError>(
                    AllOf(HasSubstr("schedule '" + name + "'"), HasSubstr("[0, 0.4]"))));
  }
}

TEST(OneCycleSchedule, RisesThenFallsAndMomentumGoesTheOtherWay) {
  // Linear, of 11 steps: up over steps 0 to 4.5, the end at step 10.
  const ScheduleInput input{.lr = 1, .total_steps = 11, .epochs = Epochs(1)};
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
  const ScheduleInput input{.lr = 0.4, .total_steps = 10, .epochs = Epochs(1)};
  EXPECT_THAT(rates_at("onecycle:max_lr=2,pct_start=0.4", {3}, input), ElementsAre(near(2)));
  EXPECT_THAT(rates_at("onecycle:pct_start=0.4", {3}, input), ElementsAre(near(0.4)));
}

TEST(OneCycleSchedule, StartsAtThePeakWhenTheRiseIsOneStep) {
  // 10 % of 10 steps; PyTorch divides by zero here.
  const ScheduleInput input{.lr = 0.4, .total_steps = 10, .epochs = Epochs(1)};
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
  EXPECT_THAT(rates_at("warmup:epochs=1,then=multi-step,milestones=1+2,gamma=0.5", {3, 5, 6, 9}),
              ElementsAre(near(0.4), near(0.4), near(0.2), near(0.1)));
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
  for (const std::string text :
       {"cosine", "cosine-restarts:t_0=2", "exponential", "multi-step:milestones=4", "onecycle",
        "polynomial", "step:step_size=1"}) {
    const auto rates = rates_at(text, {11, 12, 1'000'000});
    EXPECT_EQ(rates[1], rates[0]) << text;
    EXPECT_EQ(rates[2], rates[0]) << text;
  }
}

TEST(MakeSchedule, RefusesNegativeRateAndUnknownName) {
  EXPECT_THROW(make_schedule("cosine", {.lr = -1, .total_steps = 1, .epochs = Epochs(1)}),
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
