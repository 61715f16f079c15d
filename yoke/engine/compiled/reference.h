// yoke/engine/compiled/reference.h: what LibTorch's own operators and autograd make of a trace.
#pragma once
#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "yoke/core/batch.h"
#include "yoke/core/flat_parameters.h"
#include "yoke/engine/compiled/graph/traced.h"
#include "yoke/engine/loss.h"

namespace yoke::compiled {

/// Weights are multiplied by 1 plus `size` times numbers drawn from the standard normal
/// distribution.
struct Noise {
  double size = 0;
  std::uint64_t seed = 0;
};

/// A traced model on copies of its parameters and buffers.
class Reference {
 public:
  /// `parameters` are those of `model`; both must outlive it.
  Reference(const Model& model, FlatParameters& parameters, Batch batch)
      : model_(model), parameters_(parameters), batch_(std::move(batch)) {}

  /// Scores, fp32 [N, classes].
  torch::Tensor scores(const TracedGraph& graph, const Noise& noise = {}) const;

  /// The gradient of the mean cross-entropy by each parameter; undefined of those that take no
  /// part.
  std::vector<torch::Tensor> gradients(const TracedGraph& graph, const LossOptions& loss,
                                       const Noise& noise = {}) const;

 private:
  std::vector<torch::Tensor> parameters(const Noise& noise) const;
  torch::Tensor run(const TracedGraph& graph, const std::vector<torch::Tensor>& parameters) const;

  const Model& model_;
  FlatParameters& parameters_;
  Batch batch_;
};

}  // namespace yoke::compiled
