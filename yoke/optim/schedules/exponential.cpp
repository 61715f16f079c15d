// yoke/optim/schedules/exponential.cpp: falls by the same factor each epoch; PyTorch's
// ExponentialLR, stepped once an epoch.
#include <cmath>

#include "yoke/optim/schedule.h"

namespace yoke {
namespace {

struct ExponentialOptions {
  double gamma = 0.95;
};

Schedule make_exponential(const ScheduleInput& input, const ExponentialOptions& options) {
  return [input, gamma = options.gamma](std::int64_t step) {
    const std::int64_t epoch = step / input.steps_per_epoch;
    return Rates{.lr = input.lr * std::pow(gamma, static_cast<double>(epoch))};
  };
}

}  // namespace

SchedulePlugin exponential_schedule() {
  const OptionTable<ExponentialOptions> options = {
      {"gamma", &ExponentialOptions::gamma, in(0, 1), "factor of each epoch"}};
  return {options, make_exponential};
}

}  // namespace yoke
