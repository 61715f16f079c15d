// yoke/engine/engine.h: computes the loss and gradient of a batch.
#pragma once
#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <string>

#include "yoke/core/batch.h"
#include "yoke/core/sum_over_ranks.h"

namespace yoke {

/// Where in the run a batch is: with an image's place in the step, the key of its random numbers
/// (dropout).
struct StepKey {
  std::uint64_t seed = 0;
  std::int64_t step = 0;
};

/// Hears of elements [begin, end) of the flat gradient that are final; of each element once, from
/// one thread at a time, which may not be the caller's.
using GradientReady = std::function<void(std::int64_t begin, std::int64_t end)>;

/// What the forward pass of a training step found.
struct Forward {
  torch::Tensor loss;    ///< fp32 [], the sum of the losses divided by Batch::whole().
  torch::Tensor scores;  ///< fp32 [N, classes], without gradient.
};

/// Runs a model forward and backward. Its parameters are those of a FlatParameters.
class Engine {
 public:
  virtual ~Engine() = default;

  /// Forward and backward in training mode: replaces the flat gradients by the gradient of the
  /// loss: with one rank, of the mean over the batch; with more, sums over ranks are. Tells
  /// `ready`, unless empty, as the backward pass goes on. Equal batch, parameters and key give
  /// equal bits on the same number of threads.
  virtual Forward gradient(const Batch& batch, const StepKey& key,
                           const GradientReady& ready = {}) = 0;

  /// From now on, normalises over the images of all ranks (synchronised batch norm); ranks then
  /// call gradient() in step. @throws UsageError where the engine cannot.
  virtual void synchronise_batch_norm(SumOverRanks sum) = 0;

  /// Scores in evaluation mode, fp32 [N, classes], for input fp32 [N, C, H, W].
  virtual torch::Tensor predict(const torch::Tensor& input) = 0;

  /// How it computes a batch of `batch_size`: `compiled, fp32, 2 replicas, micro-batches of 32`.
  virtual std::string describe(std::int64_t batch_size) = 0;
};

}  // namespace yoke
