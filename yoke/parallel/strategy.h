// yoke/parallel/strategy.h: what keeps the copies of the model together.
#pragma once
#include <memory>
#include <string_view>

#include "yoke/comm/communicator.h"
#include "yoke/core/batch.h"
#include "yoke/core/flat_parameters.h"
#include "yoke/core/options.h"
#include "yoke/core/registry.h"
#include "yoke/engine/engine.h"
#include "yoke/optim/optimizer.h"

namespace yoke {

/// Decides what ranks exchange, and when, in each step.
class Strategy {
 public:
  virtual ~Strategy() = default;

  /// Forward and backward of this rank's part of the batch; when it returns, loss and flat gradient
  /// are those the optimizer shall see.
  virtual Forward gradient(Engine& engine, const Batch& batch, const StepKey& key) = 0;

  /// Moves the parameters; returns the loss before the step, fp32 [].
  virtual torch::Tensor update(Optimizer& optimizer, const Objective& objective,
                               const Rates& rates) = 0;

  /// Seconds this rank has waited for others so far.
  virtual double communication_seconds() const = 0;
};

using MakeStrategy = std::unique_ptr<Strategy> (*)(FlatParameters& parameters,
                                                   Communicator& communicator, Options& options);

/// Every strategy of strategies.def.
const Registry<MakeStrategy>& strategies();

/// Builds the strategy that `text` (`name:key=value,...`) names; the references must outlive it.
/// @throws UsageError on an unknown name or option.
std::unique_ptr<Strategy> make_strategy(std::string_view text, FlatParameters& parameters,
                                        Communicator& communicator);

}  // namespace yoke
