// yoke/engine/eager/eager.h: the engine that runs any module operator by operator, through
// autograd.
#pragma once
#include <functional>
#include <memory>

#include "yoke/core/flat_parameters.h"
#include "yoke/core/step_graph.h"
#include "yoke/engine/engine.h"
#include "yoke/engine/loss.h"
#include "yoke/engine/precision.h"
#include "yoke/models/model.h"

namespace yoke {

/// Who seeds torch's default generators before each gradient(). From them draws what a model draws,
/// on GPUs also dropout.
enum class Seeding { kEngine, kCaller };

/// How the eager engine computes.
struct EagerOptions {
  LossOptions loss = {};
  Seeding seeding = Seeding::kEngine;
  Precision precision = Precision::kFp32;
  /// What the gradient shall be multiplied by, asked at each gradient(); empty: 1.
  std::function<double()> loss_scale = {};
  /// Makes the model once more, with the same parameters and buffers but memory of its own: once,
  /// while the engine is made. Precision::kO2 needs it; on GPUs others are slower without.
  std::function<Model()> another = {};
  /// Makes what the step is recorded by, for a device; empty: it is not recorded. The result is the
  /// same, but gradient() then tells of all gradients at the end.
  MakeStepGraph graph = {};
};

/// Makes the eager engine. `parameters` are those of `model`, on the device where it is to run;
/// batches are moved there. The loss is the cross-entropy of the model's scores, which may be
/// logits or log-probabilities. Both must outlive the engine.
/// @throws UsageError where `another` is missing or gives something else, or there is no graph.
std::unique_ptr<Engine> make_eager_engine(Model& model, FlatParameters& parameters,
                                          const EagerOptions& options = {});

/// What the generators are seeded with for a batch.
std::uint64_t dropout_seed(const Batch& batch, const StepKey& key);

}  // namespace yoke
