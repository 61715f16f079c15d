// yoke/optim/schedules/onecycle.cpp: PyTorch's OneCycleLR (Smith and Topin, "Super-convergence",
// 2018).
#include <cmath>
#include <numbers>
#include <optional>

#include "yoke/optim/schedule.h"

namespace yoke {
namespace {

struct OneCycleOptions {
  std::optional<double> max_lr = {};
  double pct_start = 0.3;
  double div_factor = 25;
  double final_div_factor = 1e4;
  bool three_phase = false;
  bool linear = false;
  bool cycle_momentum = true;
  double base_momentum = 0.85;
  double max_momentum = 0.95;
};

OptionTable<OneCycleOptions> onecycle_options() {
  using O = OneCycleOptions;
  return {
      {"max_lr", &O::max_lr, at_least(0), unset("`--lr`"), "the highest rate"},
      {"pct_start", &O::pct_start, in(0, 1), "share of the run going up"},
      {"div_factor", &O::div_factor, at_least(1), "begins at `max_lr` divided by this"},
      {"final_div_factor", &O::final_div_factor, at_least(1),
       "ends at the first rate divided by this"},
      {"three_phase", &O::three_phase, "down as far as up, then to the end"},
      {"anneal_strategy",
       &O::linear,
       {{"cos", false}, {"linear", true}},
       "the form of the ways up and down"},
      {"cycle_momentum", &O::cycle_momentum,
       "the optimizer's `momentum`, or `beta1`, goes the other way; SGD made without stays "
       "without"},
      {"base_momentum", &O::base_momentum, in(0, below(1)), "at the highest rate"},
      {"max_momentum", &O::max_momentum, in(0, below(1)), "at the lowest rates"},
  };
}

/// A stretch of the cycle up to and including the step `end`, which need not be whole.
struct Phase {
  double end;
  double lr_from, lr_to;
  double momentum_from, momentum_to;
};

struct OneCycle {
  std::vector<Phase> phases;
  bool linear;
  bool cycle_momentum;

  double anneal(double from, double to, double done) const {
    if (linear) return from + (to - from) * done;
    return to + (from - to) / 2 * (1 + std::cos(std::numbers::pi * done));
  }

  Rates operator()(std::int64_t step) const {
    const auto now = static_cast<double>(step);
    std::size_t i = 0;
    double start = 0;
    while (i + 1 < phases.size() && now > phases[i].end) start = phases[i++].end;
    const Phase& phase = phases[i];
    const double length = phase.end - start;
    const double done = length > 0 ? (now - start) / length : 1;
    Rates rates{.lr = anneal(phase.lr_from, phase.lr_to, done)};
    if (cycle_momentum) rates.momentum = anneal(phase.momentum_from, phase.momentum_to, done);
    return rates;
  }
};

Schedule make_onecycle(const ScheduleInput& input, const OneCycleOptions& options) {
  const double top = options.max_lr.value_or(input.lr);
  const double first = top / options.div_factor;
  const double last = first / options.final_div_factor;
  const double low = options.base_momentum, high = options.max_momentum;
  const auto steps = static_cast<double>(input.total_steps);
  OneCycle cycle{.phases = {}, .linear = options.linear, .cycle_momentum = options.cycle_momentum};
  cycle.phases.push_back({options.pct_start * steps - 1, first, top, high, low});
  if (options.three_phase) {
    cycle.phases.push_back({2 * options.pct_start * steps - 2, top, first, low, high});
    cycle.phases.push_back({steps - 1, first, last, high, high});
  } else {
    cycle.phases.push_back({steps - 1, top, last, low, high});
  }
  return cycle;
}

}  // namespace

SchedulePlugin onecycle_schedule() { return {onecycle_options(), make_onecycle}; }

}  // namespace yoke
