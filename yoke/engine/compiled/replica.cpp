#include "yoke/engine/compiled/replica.h"

namespace yoke::compiled {

Replica::Replica(const dnnl::engine& engine, WeightStore& weights, StatisticsStore& statistics,
                 int number)
    : gradients_(engine), workspace_{engine,     dnnl::stream(engine), weights,
                                     gradients_, statistics,           number} {}

Plan& Replica::plan(const LayerGraph& graph, const PlanOptions& options) {
  auto& plan = plans_[{options.training, options.batch}];
  if (plan != nullptr) return *plan;
  plan = Builder(graph, workspace_, options).build();
  if (plan->bytes() > arena_.size()) {
    arena_ = AlignedBytes();  // the old one first: both at once may not fit
    arena_ = AlignedBytes(plan->bytes());
    for (auto& [key, other] : plans_) other->bind(arena_.data());
  } else {
    plan->bind(arena_.data());
  }
  return *plan;
}

}  // namespace yoke::compiled
