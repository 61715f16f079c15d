// yoke/engine/compiled/replica.h: one thread's copy of the step.
#pragma once
#include <map>
#include <memory>
#include <tuple>

#include "yoke/engine/compiled/builder.h"

namespace yoke::compiled {

/// Plans for the batch sizes met so far, in one arena, and the gradients they leave.
class Replica {
 public:
  /// The stores must outlive it, and so must `leader`: the replica that plans everything first;
  /// null for that one itself.
  Replica(const dnnl::engine& engine, WeightStore& weights, StatisticsStore& statistics, int number,
          const Replica* leader);

  /// The plan of `graph`, which must outlive it, with `options`.
  Plan& plan(const LayerGraph& graph, const PlanOptions& options);

  dnnl::stream& stream() { return workspace_.stream; }
  const GradientStore& gradients() const { return gradients_; }

 private:
  GradientStore gradients_;
  Workspace workspace_;
  AlignedBytes arena_;
  /// By training, batch, runs and parts.
  std::map<std::tuple<bool, std::int64_t, std::int64_t, std::int64_t>, std::unique_ptr<Plan>>
      plans_;
};

}  // namespace yoke::compiled
