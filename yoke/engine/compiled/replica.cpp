#include "yoke/engine/compiled/replica.h"

namespace yoke::compiled {

Replica::Replica(const dnnl::engine& engine, WeightStore& weights, StatisticsStore& statistics,
                 int number, const Replica* leader)
    : gradients_(engine, leader == nullptr ? nullptr : &leader->gradients_),
      workspace_{engine, dnnl::stream(engine), weights, gradients_, statistics, number} {}

Plan& Replica::plan(const LayerGraph& graph, const PlanOptions& options) {
  const std::tuple key{options.training, options.batch, options.runs, options.parts};
  if (const auto found = plans_.find(key); found != plans_.end()) return *found->second;
  auto& plan = plans_.emplace(key, Builder(graph, workspace_, options).build()).first->second;
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
