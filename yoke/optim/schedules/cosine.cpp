// yoke/optim/schedules/cosine.cpp: half a cosine over the whole run; PyTorch's CosineAnnealingLR,
// stepped at each step.
#include <cmath>
#include <numbers>

#include "yoke/optim/schedule.h"

namespace yoke {

Schedule make_cosine_schedule(const ScheduleInput& input, Options& options) {
  const double min_lr = options.get("min_lr", 0.0, 0.0, input.lr);  // what the run ends near
  return [=](std::int64_t step) {
    const double done = static_cast<double>(step) / static_cast<double>(input.total_steps);
    const double share = (1 + std::cos(std::numbers::pi * done)) / 2;
    return Rates{.lr = min_lr + (input.lr - min_lr) * share};
  };
}

}  // namespace yoke
