// yoke/optim/schedules/cosine.cpp: half a cosine over the whole run; PyTorch's CosineAnnealingLR,
// stepped at each step.
#include <cmath>
#include <numbers>

#include "yoke/core/error.h"
#include "yoke/optim/schedule.h"

namespace yoke {
namespace {

struct CosineOptions {
  double min_lr = 0;
};

Schedule make_cosine(const ScheduleInput& input, const CosineOptions& options) {
  if (options.min_lr > input.lr) {
    throw UsageError(fmt::format(
        "option 'min_lr' of schedule 'cosine' is '{}'; allowed: a number in [0, {}], up to --lr",
        options.min_lr, input.lr));
  }
  return [input, min_lr = options.min_lr](std::int64_t step) {
    const double done = static_cast<double>(step) / static_cast<double>(input.total_steps);
    const double share = (1 + std::cos(std::numbers::pi * done)) / 2;
    return Rates{.lr = min_lr + (input.lr - min_lr) * share};
  };
}

}  // namespace

SchedulePlugin cosine_schedule() {
  const OptionTable<CosineOptions> options = {
      {"min_lr", &CosineOptions::min_lr, at_least(0), "what the run ends near; at most `--lr`"}};
  return {options, make_cosine};
}

}  // namespace yoke
