// yoke/optim/schedules/warmup.cpp: a linear rise, then another schedule (Goyal et al. 2017).
#include "yoke/core/error.h"
#include "yoke/optim/schedule.h"

namespace yoke {
namespace {

std::int64_t warmup_steps(const ScheduleInput& input, Options& options) {
  if (options.contains("epochs") && options.contains("steps")) {
    throw UsageError("schedule 'warmup' was given both epochs and steps; give one of them");
  }
  const auto epochs = options.get("epochs", std::int64_t{5}, 0, 1'000'000);
  const auto steps = options.get("steps", std::int64_t{0}, 0);  // in place of epochs
  return options.contains("steps") ? steps : epochs * input.steps_per_epoch;
}

std::vector<std::string> other_schedules() {
  auto names = schedules().names();
  std::erase(names, "warmup");
  return names;
}

}  // namespace

/// The options of the schedule that follows stand beside the own ones; it runs as if it were alone
/// on the steps that are left, and the rise ends at the rate of its first step.
Schedule make_warmup_schedule(const ScheduleInput& input, Options& options) {
  const std::int64_t rise = warmup_steps(input, options);
  const double start = options.get("start", 0.01, 0.0, 1.0);  // share of the rate at step 0
  const auto then = options.get("then", "cosine", other_schedules());
  ScheduleInput rest = input;
  rest.total_steps = std::max<std::int64_t>(1, input.total_steps - rise);
  return [rise, start, follow = schedules().find(then).make(rest, options)](std::int64_t step) {
    if (step >= rise) return follow(step - rise);
    Rates rates = follow(0);
    rates.lr *= start + (1 - start) * static_cast<double>(step) / static_cast<double>(rise);
    return rates;
  };
}

}  // namespace yoke
