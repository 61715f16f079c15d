// yoke/engine/eager/replicated.h: data parallel inside one process, a copy of the model per device.
#pragma once
#include <torch/types.h>

#include <functional>
#include <memory>
#include <vector>

#include "yoke/core/flat_parameters.h"
#include "yoke/engine/engine.h"
#include "yoke/engine/loss.h"
#include "yoke/engine/precision.h"
#include "yoke/models/model.h"

namespace yoke {

/// Which replicas there are, and how they are made.
struct ReplicatedOptions {
  std::vector<torch::Device> devices;  ///< Of each replica; the first is that of the parameters.
  int threads = 1;                     ///< That all replicas may use together.
  LossOptions loss = {};
  /// Makes the model once more, with the same parameters and buffers but memory of its own; called
  /// for each further replica while the engine is made, and as EagerOptions says.
  std::function<Model()> another = {};
  Precision precision = Precision::kFp32;
  std::function<double()> loss_scale = {};  ///< See EagerOptions.
};

/// Makes an engine of several eager ones, each with a thread, a device and a copy of the model.
/// Before a step all take the parameters and buffers of `model`, the first replica's; each computes
/// a contiguous part of the batch, the larger ones first; gradients are added in the replicas'
/// order. The result depends on the number of replicas only through rounding, except that batch
/// norm normalises over each replica's part; its running statistics are those of the whole batch.
/// Dropout is that of one replica; other operators that draw numbers draw, on the CPU, from a
/// generator that all replicas share, in no fixed order. Evaluation is shared out, too. `model` and
/// `parameters` must outlive the engine.
/// @throws UsageError where `another` gives something else, or again what is in use.
std::unique_ptr<Engine> make_replicated_engine(Model& model, FlatParameters& parameters,
                                               const ReplicatedOptions& options);

}  // namespace yoke
