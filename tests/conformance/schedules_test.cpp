#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/parameter_name.h"
#include "yoke/core/error.h"
#include "yoke/optim/schedule.h"

namespace yoke {
namespace {

/// Runs short and long, the shortest of all included.
std::vector<ScheduleInput> inputs() {
  return {{.lr = 0.1, .total_steps = 1, .epochs = Epochs(1)},
          {.lr = 0.1, .total_steps = 2, .epochs = Epochs(5)},
          {.lr = 3.0, .total_steps = 10, .epochs = Epochs(1)},
          {.lr = 0.1, .total_steps = 1000, .epochs = Epochs(7)}};
}

class EverySchedule : public testing::TestWithParam<std::string> {};

TEST_P(EverySchedule, GivesFiniteRatesThatAreNotNegative) {
  for (const auto& input : inputs()) {
    const Schedule schedule = make_schedule(GetParam(), input);
    double most = 0;
    for (std::int64_t step = 0; step <= input.total_steps + 1; ++step) {
      const Rates rates = schedule(step);
      ASSERT_TRUE(std::isfinite(rates.lr) && rates.lr >= 0) << rates.lr << " at step " << step;
      ASSERT_LE(rates.lr, input.lr * (1 + 1e-12)) << "step " << step;
      most = std::max(most, rates.lr);
      const double momentum = rates.momentum.value_or(0);
      ASSERT_TRUE(momentum >= 0 && momentum < 1) << momentum << " at step " << step;
    }
    EXPECT_GT(most, 0);
  }
}

TEST_P(EverySchedule, DependsOnTheStepAlone) {
  for (const auto& input : inputs()) {
    const Schedule schedule = make_schedule(GetParam(), input);
    const Schedule fresh = make_schedule(GetParam(), input);
    std::vector<Rates> upwards;
    for (std::int64_t step = 0; step < input.total_steps; ++step) upwards.push_back(schedule(step));
    for (std::int64_t step = input.total_steps; step-- > 0;) {
      const auto& expected = upwards[static_cast<std::size_t>(step)];
      for (const Rates& rates : {schedule(step), schedule(step), fresh(step)}) {
        ASSERT_EQ(rates.lr, expected.lr) << "step " << step;
        ASSERT_EQ(rates.momentum, expected.momentum) << "step " << step;
      }
    }
  }
}

TEST_P(EverySchedule, RefusesAnUnknownOptionAndListsItsOwn) {
  try {
    make_schedule(GetParam() + ":no_such_option=1", inputs().front());
    FAIL() << "the option was taken";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("no_such_option"));
    EXPECT_THAT(error.what(), testing::HasSubstr("allowed: "));
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, EverySchedule, testing::ValuesIn(schedules().names()),
                         test::parameter_name);

}  // namespace
}  // namespace yoke
