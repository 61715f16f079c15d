// yoke/parallel/strategy.h: what keeps the copies of the model together.
#pragma once
#include <torch/types.h>

#include <memory>
#include <string_view>
#include <vector>

#include "yoke/comm/communicator.h"
#include "yoke/core/batch.h"
#include "yoke/core/flat_parameters.h"
#include "yoke/core/named_tensors.h"
#include "yoke/core/options.h"
#include "yoke/core/registry.h"
#include "yoke/engine/engine.h"
#include "yoke/optim/optimizer.h"

namespace yoke {

/// What a strategy keeps together: this rank's copy of the model, what computes its gradient, and
/// who has the others.
struct Copies {
  Engine& engine;
  FlatParameters& parameters;
  std::vector<torch::Tensor> buffers;  ///< The model's: running statistics and the like.
  Communicator& communicator;
};

/// Decides what ranks exchange, and when, in each step. All ranks call it alike.
class Strategy {
 public:
  virtual ~Strategy() = default;

  /// Before the first step: gives all ranks the parameters and buffers of rank 0.
  virtual void begin() = 0;

  /// Forward and backward of this rank's part of the batch; when it returns, loss and flat gradient
  /// are those the optimizer shall see.
  virtual Forward gradient(const Batch& batch, const StepKey& key) = 0;

  /// Moves the parameters; returns the loss before the step, fp32 [].
  virtual torch::Tensor update(Optimizer& optimizer, const Objective& objective,
                               const Rates& rates) = 0;

  /// Before the model is measured or saved: makes equal on all ranks what may have come to differ.
  virtual void synchronise() = 0;

  /// What it carries from step to step beside the model, as tensors that a checkpoint reads, and a
  /// resume writes, in place; whole on rank 0 after synchronise().
  virtual NamedTensors state() { return {}; }
  /// After a resume has set state() on all ranks.
  virtual void restored() {}

  /// Seconds this rank has waited for others so far, in steps.
  virtual double communication_seconds() const = 0;
};

using MakeStrategy = std::unique_ptr<Strategy> (*)(const Copies& copies, Options& options);

/// Every strategy of strategies.def.
const Registry<MakeStrategy>& strategies();

/// Builds the strategy that `text` (`name:key=value,...`) names; what `copies` refers to must
/// outlive it. @throws UsageError on an unknown name or option, or what the engine cannot.
std::unique_ptr<Strategy> make_strategy(std::string_view text, const Copies& copies);

}  // namespace yoke
