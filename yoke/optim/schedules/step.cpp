// yoke/optim/schedules/step.cpp: a staircase down; PyTorch's StepLR, stepped once an epoch.
#include <cmath>

#include "yoke/optim/schedule.h"

namespace yoke {

Schedule make_step_schedule(const ScheduleInput& input, Options& options) {
  const auto step_size = options.get("step_size", std::int64_t{30}, 1);  // epochs at each rate
  const double gamma = options.get("gamma", 0.1, 0.0, 1.0);              // factor of each stair
  return [=, lr = input.lr, steps_per_epoch = input.steps_per_epoch](std::int64_t step) {
    const std::int64_t stairs = step / steps_per_epoch / step_size;
    return Rates{.lr = lr * std::pow(gamma, static_cast<double>(stairs))};
  };
}

}  // namespace yoke
