// yoke/optim/schedules/step.cpp: a staircase down; PyTorch's StepLR, stepped once an epoch.
#include <cmath>

#include "yoke/optim/schedule.h"

namespace yoke {
namespace {

struct StepOptions {
  std::int64_t step_size = 30;
  double gamma = 0.1;
};

Schedule make_step(const ScheduleInput& input, const StepOptions& options) {
  return [input, options](std::int64_t step) {
    const std::int64_t stairs = input.epochs.at(step) / options.step_size;
    return Rates{.lr = input.lr * std::pow(options.gamma, static_cast<double>(stairs))};
  };
}

}  // namespace

SchedulePlugin step_schedule() {
  const OptionTable<StepOptions> options = {
      {"step_size", &StepOptions::step_size, at_least(1), "epochs at each rate"},
      {"gamma", &StepOptions::gamma, in(0, 1), "factor of each stair"}};
  return {options, make_step};
}

}  // namespace yoke
