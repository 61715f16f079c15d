// yoke/parallel/strategy.h: what keeps the copies of the model together.
#pragma once
#include <torch/types.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "yoke/comm/communicator.h"
#include "yoke/core/batch.h"
#include "yoke/core/epochs.h"
#include "yoke/core/flat_parameters.h"
#include "yoke/core/named_tensors.h"
#include "yoke/core/plugins/plugin.h"
#include "yoke/core/plugins/registry.h"
#include "yoke/core/step_graph.h"
#include "yoke/engine/engine.h"
#include "yoke/forecast/strategy_plan.h"
#include "yoke/optim/loss_scaler.h"
#include "yoke/optim/optimizer.h"
#include "yoke/parallel/workers/workers.h"

namespace yoke {

/// What a strategy keeps together: this rank's copy of the model, what computes its gradient, what
/// moves it, and who has the others. What it refers to must outlive the strategy.
struct StrategyContext {
  Engine& engine;
  FlatParameters& parameters;
  std::vector<torch::Tensor> buffers;  ///< The model's: running statistics and the like.
  Communicator& communicator;
  std::string optimizer;         ///< As make_optimizer() takes it.
  LossScaler* scaler = nullptr;  ///< Of the engine's losses; null where it does not scale them.
  MakeStepGraph graph = {};  ///< Of the optimizer, see Shard; empty: its steps are not recorded.
  /// Takes what a user should know of the choice before the first step; may be empty.
  std::function<void(const std::string&)> warn = {};
};

/// What strategies know of a run before its first step.
struct RunShape {
  std::int64_t first_step = 0;  ///< Of this process: more than 0 after a resume.
  Epochs epochs{1};
  std::int64_t total_steps = 1;
};

/// What a rank found in a step.
struct StepResult {
  torch::Tensor loss;                ///< fp32 [], before the step.
  torch::Tensor scores;              ///< fp32 [N, classes] of this rank's images, before the step.
  double communication_seconds = 0;  ///< That this rank has waited for others.
};

/// Numbers about a run, by name.
using Counters = std::vector<std::pair<std::string, double>>;

/// What a strategy has counted in this process.
struct StrategyStatistics {
  std::int64_t bytes = 0;  ///< Of tensors that went over this rank, but not over the communicator.
  Counters counters;       ///< For summary.json: `rounds`, ...
};

/// Decides what ranks exchange, and when. All ranks call it alike.
class Strategy {
 public:
  virtual ~Strategy() = default;

  /// Who takes which step.
  virtual Workers& workers() = 0;

  /// Before the first step: gives all ranks the parameters and buffers of rank 0.
  virtual void begin(const RunShape& run) = 0;

  /// Takes a step with this rank's part of the batch, which is empty on a rank without a share.
  virtual StepResult step(const Batch& batch, const StepKey& key, const Rates& rates) = 0;

  /// Makes the model the same on all ranks, as evaluations, checkpoints and the end of a run want
  /// it; returns what gives each rank back its own, to go on.
  [[nodiscard]] virtual std::function<void()> synchronise() = 0;

  /// All that it carries from step to step beside the model, the optimizer's state first, as
  /// tensors that a checkpoint reads, and a resume writes, in place; whole on rank 0 after
  /// synchronise().
  virtual NamedTensors state() = 0;

  /// After a resume has set state() on all ranks.
  virtual void restored() = 0;

  virtual StrategyStatistics statistics() const = 0;
};

/// A step of `optimizer` with the gradient that `compute` leaves; loss and scores are those of its
/// first call.
StepResult take_step(Optimizer& optimizer, const std::function<Forward()>& compute,
                     const Rates& rates);

/// The optimizer that `context` names for what is this rank's to move; it sees gradients of losses
/// that are not scaled. @throws UsageError.
std::unique_ptr<Optimizer> optimizer_of(const StrategyContext& context, const Shard& shard);

/// This rank's share where all ranks compute gradients.
DataShard data_shard_of(const Communicator& communicator);

/// What is asked of a choice of strategy before one is made.
struct StrategyTraits {
  /// Whether parameters are gathered from several ranks, so that their values do well in memory of
  /// Communicator::allocate().
  bool gathers_values = false;
  /// Whether gradients are on their way while the backward pass goes on, so that early ones are
  /// worth something, or its steps are to be those of a strategy where they are.
  bool early_gradients = false;
  /// Workers that are threads of one process; 0: one for each core. Nothing where they are always
  /// processes.
  std::optional<int> workers_in_process = {};
  /// Whether an evaluation also measures each rank's own model on all images, before
  /// synchronise().
  bool evaluates_each_rank = false;
  /// What it sends and keeps. Empty where no model of it has been written.
  /// @throws UsageError for options that have no model.
  std::function<forecast::StrategyPlan()> plan = {};
};

/// A strategy as its file declares it.
/// @throws UsageError on what the engine, the optimizer or the number of ranks cannot.
using StrategyPlugin =
    Plugin<std::unique_ptr<Strategy>(const StrategyContext& context), StrategyTraits>;

/// Every strategy of strategies.def.
const Registry<StrategyPlugin>& strategies();

/// Builds the strategy that `text` (`name:key=value,...`) names. @throws UsageError on an unknown
/// name or option, or what the engine or the optimizer cannot.
std::unique_ptr<Strategy> make_strategy(std::string_view text, const StrategyContext& context);

/// What the strategy that `text` names sends and keeps. @throws UsageError on an unknown name or
/// option, and where there is no model of it.
forecast::StrategyPlan plan_strategy(std::string_view text);

/// Says that there is no model of `what`, and what to do `instead`. @throws UsageError.
[[noreturn]] void refuse_plan(const char* what, const char* instead);

}  // namespace yoke
