// yoke/engine/eager/captured_step.h: forward and backward of batches of one size, recorded as a
// graph.
#pragma once
#include <functional>
#include <memory>

#include "yoke/core/batch.h"
#include "yoke/core/repeated_work.h"
#include "yoke/engine/engine.h"

namespace yoke {

/// Computes the gradients of a run. Batches of the first size that comes four times in a row are
/// recorded: three rehearsals, in which libraries choose algorithms and make what they keep, then
/// replays on copies of the batches. Batches of another size are computed as they are.
class CapturedStep {
 public:
  /// Replaces the gradients by those of a batch. Works on memory that stays where it is, but for
  /// the batch and the result, and reads nothing back.
  using Compute = std::function<Forward(const Batch& batch)>;

  CapturedStep(std::unique_ptr<StepGraph> graph, torch::Device device);

  /// What `compute`, the same in all calls, makes of `batch`.
  Forward run(const Batch& batch, const Compute& compute);

 private:
  bool fits(const Batch& batch) const;
  void copy(Batch batch);

  RepeatedWork work_;
  const torch::Device device_;
  Batch batch_;      // that the recorded step reads
  Forward forward_;  // that it writes
};

}  // namespace yoke
