// yoke/optim/schedules/warmup.cpp: a linear rise, then another schedule (Goyal et al. 2017).
#include <optional>

#include "yoke/core/error.h"
#include "yoke/core/plugins/inner_plugin.h"
#include "yoke/optim/schedule.h"

namespace yoke {
namespace {

constexpr std::int64_t kEpochs = 5;  // where neither epochs nor steps are given

struct WarmupOptions {
  std::optional<std::int64_t> epochs = {};
  std::optional<std::int64_t> steps = {};
  double start = 0.01;
  InnerPlugin<SchedulePlugin> then = {.name = "cosine"};
};

OptionTable<WarmupOptions> warmup_options() {
  using O = WarmupOptions;
  return {
      {"epochs", &O::epochs, in(0, 1'000'000), unset(fmt::format("{}", kEpochs)),
       "length of the rise"},
      {"steps", &O::steps, at_least(0), unset("by `epochs`"), "length of the rise in steps"},
      {"start", &O::start, in(0, 1), "share of the rate at step 0"},
      beside("then", &O::then, schedules, "warmup",
             "the schedule that follows; its options stand beside these"),
  };
}

/// What follows runs as if it were alone on the steps that are left, and the rise ends at the rate
/// of its first step.
Schedule make_warmup(const ScheduleInput& input, const WarmupOptions& options) {
  if (options.epochs && options.steps) {
    throw UsageError("schedule 'warmup' was given both epochs and steps; give one of them");
  }
  const std::int64_t rise =
      options.steps.value_or(input.epochs.first_step(options.epochs.value_or(kEpochs)));
  ScheduleInput rest = input;
  rest.epochs = input.epochs.after(rise);
  rest.total_steps = std::max<std::int64_t>(1, input.total_steps - rise);
  return [rise, start = options.start, follow = options.then.make(rest)](std::int64_t step) {
    if (step >= rise) return follow(step - rise);
    Rates rates = follow(0);
    rates.lr *= start + (1 - start) * static_cast<double>(step) / static_cast<double>(rise);
    return rates;
  };
}

}  // namespace

SchedulePlugin warmup_schedule() {
  return {warmup_options(), make_warmup,
          [](const WarmupOptions& options) { return options.then.traits; }};
}

}  // namespace yoke
