#include "yoke/optim/schedules/min_lr.h"

#include <cmath>
#include <numbers>

#include "yoke/core/error.h"

namespace yoke {

Schedule fall_to_min_lr(std::string_view schedule, const ScheduleInput& input, double min_lr,
                        std::function<double(std::int64_t step)> share) {
  if (min_lr > input.lr) {
    throw UsageError(fmt::format(
        "option 'min_lr' of schedule '{}' is '{}'; allowed: a number in [0, {}], up to --lr",
        schedule, min_lr, input.lr));
  }
  return [lr = input.lr, min_lr, share = std::move(share)](std::int64_t step) {
    return Rates{.lr = min_lr + (lr - min_lr) * share(step)};
  };
}

double half_cosine(double done) { return (1 + std::cos(std::numbers::pi * done)) / 2; }

}  // namespace yoke
