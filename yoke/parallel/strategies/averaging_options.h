// yoke/parallel/strategies/averaging_options.h: what a user says of averaging, and what that costs.
#pragma once
#include <cstdint>
#include <optional>

#include "yoke/core/plugins/option_table.h"
#include "yoke/forecast/strategy_plan.h"

namespace yoke {

/// SGD with Nesterov's momentum on what the ranks have moved together.
struct OuterOptimizer {
  double lr = 0.7;
  double momentum = 0.9;
};

/// What becomes of the optimizer's state at a mean.
enum class StateAtMean : std::uint8_t { kKeep, kReset, kAverage };

/// Whose parameters evaluations measure.
enum class Evaluated : std::uint8_t { kMean, kEach };

struct AveragingOptions {
  std::optional<std::int64_t> every = 16;    ///< Steps; else one mean at the end.
  double warmup = 0;                         ///< Epochs of all-reduce.
  bool own_start = false;                    ///< Whether ranks begin with parameters of their own.
  std::optional<OuterOptimizer> outer = {};  ///< Else the mean as it is.
  StateAtMean momentum = StateAtMean::kKeep;
  Evaluated evaluate = Evaluated::kMean;
};

OptionTable<AveragingOptions> averaging_options();

/// @throws UsageError for a warm-up, which has no model.
forecast::StrategyPlan plan_averaging(const AveragingOptions& options);

}  // namespace yoke
