// yoke/optim/schedules/onecycle.cpp: PyTorch's OneCycleLR (Smith and Topin, "Super-convergence",
// 2018).
#include <cmath>
#include <numbers>

#include "yoke/optim/schedule.h"

namespace yoke {
namespace {

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

}  // namespace

Schedule make_onecycle_schedule(const ScheduleInput& input, Options& options) {
  constexpr double kMostMomentum = 1 - 1e-9;
  const double top = options.get("max_lr", input.lr, 0.0);
  const double pct_start = options.get("pct_start", 0.3, 0.0, 1.0);  // share of the run going up
  const double first = top / options.get("div_factor", 25.0, 1.0);
  const double last = first / options.get("final_div_factor", 1e4, 1.0);
  const bool three_phase = options.get("three_phase", false);  // down as far as up, then to the end
  const auto anneal = options.get("anneal_strategy", "cos", {"cos", "linear"});
  // The optimizer's momentum, or Adam's beta1; SGD made without momentum stays without.
  const bool cycle_momentum = options.get("cycle_momentum", true);
  const double low = options.get("base_momentum", 0.85, 0.0, kMostMomentum);
  const double high = options.get("max_momentum", 0.95, 0.0, kMostMomentum);

  const auto steps = static_cast<double>(input.total_steps);
  OneCycle cycle{.phases = {}, .linear = anneal == "linear", .cycle_momentum = cycle_momentum};
  cycle.phases.push_back({pct_start * steps - 1, first, top, high, low});
  if (three_phase) {
    cycle.phases.push_back({2 * pct_start * steps - 2, top, first, low, high});
    cycle.phases.push_back({steps - 1, first, last, high, high});
  } else {
    cycle.phases.push_back({steps - 1, top, last, low, high});
  }
  return cycle;
}

}  // namespace yoke
