// yoke/engine/engine.h: computes the loss and gradient of a batch.
#pragma once
#include <torch/types.h>

#include <cstdint>
#include <string>

#include "yoke/core/batch.h"

namespace yoke {

/// Where in the run a batch is: the key of the step's random numbers (dropout).
struct StepKey {
  std::uint64_t seed = 0;
  std::uint32_t rank = 0;
  std::int64_t step = 0;
};

/// What the forward pass of a training step found.
struct Forward {
  torch::Tensor loss;    ///< fp32 [], the mean over the batch.
  torch::Tensor scores;  ///< fp32 [N, classes], without gradient.
};

/// Runs a model forward and backward. Its parameters are those of a FlatParameters.
class Engine {
 public:
  virtual ~Engine() = default;

  /// Forward and backward in training mode: replaces the flat gradients by the gradient of the mean
  /// loss. Equal batch, parameters and key give equal bits on the same number of threads.
  virtual Forward gradient(const Batch& batch, const StepKey& key) = 0;

  /// Scores in evaluation mode, fp32 [N, classes], for input fp32 [N, C, H, W].
  virtual torch::Tensor predict(const torch::Tensor& input) = 0;

  /// How it computes a batch of `batch_size`: `compiled, fp32, 2 replicas, micro-batches of 32`.
  virtual std::string describe(std::int64_t batch_size) = 0;
};

}  // namespace yoke
