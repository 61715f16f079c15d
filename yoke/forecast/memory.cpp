#include "yoke/forecast/memory.h"

namespace yoke::forecast {

double rank_memory(const StrategyPlan& plan, const Calibration& calibration, const Cluster& cluster,
                   double measured) {
  const auto ranks = static_cast<double>(cluster.ranks());
  if (ranks == 1) return measured;
  const double vector = static_cast<double>(calibration.parameter_count()) * sizeof(float);
  const auto state = static_cast<double>(calibration.optimizer_state_bytes);
  switch (plan.kind) {
    case StrategyKind::kAllReduce:
      return measured - (plan.shard_state ? state * (1 - 1 / ranks) : 0);
    case StrategyKind::kAveraging:
      return measured + plan.extra_vectors * vector;
    case StrategyKind::kServer:
      if (plan.servers > 0) return measured - state;
      return measured - state * (1 - 1 / ranks) + 2 * vector;
    case StrategyKind::kHogwild:
      break;
  }
  return measured;
}

}  // namespace yoke::forecast
