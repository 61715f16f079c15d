// yoke/optim/optimizer.h: what moves the parameters.
#pragma once
#include <torch/types.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "yoke/core/flat_parameters.h"
#include "yoke/core/options.h"
#include "yoke/core/registry.h"
#include "yoke/optim/schedule.h"

namespace yoke {

/// Computes the loss, fp32 [], at the current parameters and leaves its gradient in the flat
/// gradients, both already reduced over ranks.
using Objective = std::function<torch::Tensor()>;

/// Moves flat parameters down their gradient. First-order methods call the objective once.
class Optimizer {
 public:
  virtual ~Optimizer() = default;

  /// Takes one step; returns the loss before it, fp32 [].
  virtual torch::Tensor step(const Objective& objective, const Rates& rates) = 0;

  /// The base learning rate where the user gives none.
  virtual double default_lr() const = 0;

  /// All state by name, as tensors that a checkpoint reads, and a resume writes, in place.
  virtual std::vector<std::pair<std::string, torch::Tensor>> state() = 0;
};

using MakeOptimizer = std::unique_ptr<Optimizer> (*)(FlatParameters& parameters, Options& options);

/// Every optimizer of optimizers.def.
const Registry<MakeOptimizer>& optimizers();

/// Builds the optimizer that `text` (`name:key=value,...`) names; `parameters` must outlive it.
/// @throws UsageError on an unknown name or option.
std::unique_ptr<Optimizer> make_optimizer(std::string_view text, FlatParameters& parameters);

}  // namespace yoke
