// yoke/engine/compiled/trial.h: one run of a plan, beside the engine.
#pragma once
#include <torch/types.h>

#include <vector>

#include "yoke/core/batch.h"
#include "yoke/core/flat_parameters.h"
#include "yoke/engine/compiled/graph/layer_graph.h"
#include "yoke/engine/compiled/replica.h"

namespace yoke::compiled {

/// What a run left.
struct Trial {
  torch::Tensor scores;                ///< fp32 [N, classes].
  torch::Tensor gradients;             ///< fp32 [P]; undefined in evaluation.
  std::vector<ParameterId> completed;  ///< Whose gradients were done, one after the other.
};

/// Runs `graph` once on `batch`, with stores of its own, for formats of weights may depend on the
/// batch; `options.batch` is that of `batch`. Leaves `parameters` as they are.
Trial try_plan(const LayerGraph& graph, const FlatParameters& parameters, const Batch& batch,
               PlanOptions options);

}  // namespace yoke::compiled
