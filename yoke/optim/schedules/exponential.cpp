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
    const auto epoch = static_cast<double>(input.epochs.at(step));
    return Rates{.lr = input.lr * std::pow(gamma, epoch)};
  };
}

}  // namespace

SchedulePlugin exponential_schedule() {
  const OptionTable<ExponentialOptions> options = {
      {"gamma", &ExponentialOptions::gamma, in(0, 1), "factor of each epoch"}};
  return {options, make_exponential};
}

}  // namespace yoke
