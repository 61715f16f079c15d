// yoke/forecast/strategy_plan.h: what a strategy sends and keeps, as its own file tells it.
#pragma once
#include <cstdint>
#include <string>

namespace yoke::forecast {

enum class StrategyKind { kAllReduce, kAveraging, kServer, kHogwild };

/// A strategy, as far as its costs go.
struct StrategyPlan {
  std::string text = {};  ///< As given.
  StrategyKind kind = StrategyKind::kAllReduce;
  double element_bytes = 4;  ///< Of a gradient on its way.
  double first_bucket_bytes = 0, bucket_bytes = 0;
  bool shard_state = false;
  double every = 1;          ///< Steps between means; infinite: one at the end.
  int extra_vectors = 0;     ///< Of the size of the parameters, that averaging keeps.
  std::int64_t servers = 0;  ///< 0: every rank serves.
  bool in_step = true;       ///< Whether ranks wait for each other in each step or round.

  /// Whether it takes the steps of training on one rank, but for rounding.
  bool same_steps() const {
    return kind == StrategyKind::kAllReduce || (kind == StrategyKind::kServer && in_step);
  }
};

}  // namespace yoke::forecast
