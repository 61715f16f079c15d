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
#include "yoke/core/plugins/plugin.h"
#include "yoke/core/plugins/registry.h"
#include "yoke/core/step_graph.h"
#include "yoke/core/sum_over_ranks.h"
#include "yoke/optim/no_decay.h"
#include "yoke/optim/schedule.h"

namespace yoke {

/// Computes the loss, fp32 [], at the current parameters and leaves its gradient in the flat
/// gradients, both already reduced over ranks.
using Objective = std::function<torch::Tensor()>;

/// What an optimizer moves: all parameters, or a rank's part of them.
struct Shard {
  Shard(FlatParameters& moved) : parameters(moved), is_all(true) {}
  Shard(FlatParameters& moved, SumOverRanks over_parts)
      : parameters(moved), sum(std::move(over_parts)) {}
  FlatParameters& parameters;
  SumOverRanks sum;     ///< Over all parts, for norms and dot products; empty where one is all.
  bool is_all = false;  ///< No other rank has a part.
  NoDecay no_decay = NoDecay::kNone;  ///< Which parameters have no weight decay.
  /// Makes what the work of a step that no rate changes is recorded by; empty: it is not recorded.
  MakeStepGraph graph = {};
};

/// Moves flat parameters down their gradient. First-order methods call the objective once.
class Optimizer {
 public:
  virtual ~Optimizer() = default;

  /// Takes one step; returns the loss before it, fp32 [].
  virtual torch::Tensor step(const Objective& objective, const Rates& rates) = 0;

  /// All state by name, as tensors that a checkpoint reads, and a resume writes, in place.
  virtual std::vector<std::pair<std::string, torch::Tensor>> state() = 0;
};

/// What is asked of a choice of optimizer before one is made.
struct OptimizerTraits {
  double default_lr = 0;  ///< The base learning rate where the user gives none; above 0.
  /// Whether a step calls the objective once, and so any batch gives it a direction.
  bool first_order = true;
  /// Whether each element moves by itself, so that ranks which move a part each exchange nothing.
  bool elementwise = true;
  /// Whether it has weight decay, and heeds the shard's `no_decay`; others refuse that option.
  bool can_leave_decay_off = false;
};

/// An optimizer as its file declares it; a shard's parameters must outlive what is made for it.
using OptimizerPlugin = Plugin<std::unique_ptr<Optimizer>(const Shard& shard), OptimizerTraits>;

/// Every optimizer of optimizers.def, each with the options `clip`, the most that the gradient's
/// norm over all parts may be, and `no_decay`; as their defaults both change nothing.
const Registry<OptimizerPlugin>& optimizers();

/// Builds the optimizer that `text` (`name:key=value,...`) names; the parameters must outlive
/// it. None moves frozen parameters, and each moves a parameter at its slice's `lr_scale` times the
/// rate. @throws UsageError on an unknown name or option.
std::unique_ptr<Optimizer> make_optimizer(std::string_view text, const Shard& shard);

}  // namespace yoke
