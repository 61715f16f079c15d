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
#include "yoke/optim/loss_scaler.h"
#include "yoke/optim/optimizer.h"

namespace yoke {

/// What a strategy keeps together: this rank's copy of the model, what computes its gradient, and
/// who has the others.
struct Copies {
  Engine& engine;
  FlatParameters& parameters;
  std::vector<torch::Tensor> buffers;  ///< The model's: running statistics and the like.
  Communicator& communicator;
  LossScaler* scaler = nullptr;  ///< Of the engine's losses; null where it does not scale them.
};

/// What strategies know of a run before its first step.
struct RunShape {
  std::int64_t first_step = 0;  ///< Of this process: more than 0 after a resume.
  std::int64_t steps_per_epoch = 1;
  std::int64_t total_steps = 1;
};

/// Where a rank stands among those that compute gradients.
struct Place {
  int index = 0;  ///< -1: it computes none.
  int count = 1;
};

/// Numbers about a run, by name.
using Counters = std::vector<std::pair<std::string, double>>;

/// Decides what ranks exchange, and when, in each step. All ranks call it alike.
class Strategy {
 public:
  explicit Strategy(Copies copies) : copies_(std::move(copies)) {}
  virtual ~Strategy() = default;
  Strategy(const Strategy&) = delete;
  Strategy& operator=(const Strategy&) = delete;

  /// The optimizer that moves this rank's parameters, or what of them is this rank's to move, as
  /// `text` names it. All ranks call its state() alike, which is whole on rank 0 and, once set, is
  /// held until restored(). @throws UsageError.
  virtual std::unique_ptr<Optimizer> make_optimizer(std::string_view text) {
    return optimizer_of(text, copies_.parameters);
  }

  /// What a user should know of the choice before the first step; mostly nothing.
  virtual std::string warning() const { return {}; }

  /// Before the first step: gives all ranks the parameters and buffers of rank 0.
  virtual void begin(const RunShape& run) = 0;

  /// Whether ranks wait for each other in step `step`; in others each goes its own way.
  virtual bool meets([[maybe_unused]] std::int64_t step) const { return true; }

  /// Which share of the images is this rank's.
  virtual Place place() const { return {copies_.communicator.rank(), copies_.communicator.size()}; }

  /// On a rank without images: returns once the others have taken step `step`.
  virtual void attend([[maybe_unused]] std::int64_t step) {}

  /// Whether ranks take steps as each is ready, one more than another, and meet now and then.
  virtual bool runs_free() const { return false; }
  /// Before they go apart, and before they meet again; fewer may come back, when place() changes.
  virtual void depart() {}
  virtual void rest() {}
  /// What has happened to ranks since the last call, for people; mostly nothing.
  virtual std::vector<std::string> news() { return {}; }

  /// Forward and backward of this rank's part of the batch; when it returns, loss and flat gradient
  /// are those the optimizer shall see.
  virtual Forward gradient(const Batch& batch, const StepKey& key) = 0;

  /// Moves the parameters; returns the loss before the step, fp32 [].
  virtual torch::Tensor update(Optimizer& optimizer, const Objective& objective,
                               const Rates& rates) = 0;

  /// Before the model is measured or saved: makes equal on all ranks what may have come to differ.
  virtual void synchronise() = 0;
  /// After that: gives each rank back what synchronise() took from it, and the step goes on.
  virtual void go_on() {}

  /// What it carries from step to step beside the model, as tensors that a checkpoint reads, and a
  /// resume writes, in place; whole on rank 0 after synchronise().
  virtual NamedTensors state() { return {}; }
  /// After a resume has set state(), and that of the optimizer, on all ranks.
  virtual void restored() {}

  /// Seconds this rank has waited for others so far, in steps.
  virtual double communication_seconds() const = 0;

  /// Of the tensors that went over this rank, but not over the communicator.
  virtual std::int64_t bytes() const { return 0; }

  /// What it has counted in this process, for summary.json: `rounds`, ...
  virtual Counters counters() const { return {}; }

 protected:
  /// The optimizer of what is this rank's to move; it sees gradients of losses that are not scaled.
  std::unique_ptr<Optimizer> optimizer_of(std::string_view text, const Shard& shard) const;

  const Copies copies_;
};

using MakeStrategy = std::unique_ptr<Strategy> (*)(const Copies& copies, Options& options);

/// Every strategy of strategies.def.
const Registry<MakeStrategy>& strategies();

/// Builds the strategy that `text` (`name:key=value,...`) names; what `copies` refers to must
/// outlive it. @throws UsageError on an unknown name or option, or what the engine cannot.
std::unique_ptr<Strategy> make_strategy(std::string_view text, const Copies& copies);

/// Whether the strategy that `text` names gathers the parameters from several ranks, so that their
/// values do well in memory of Communicator::allocate(). @throws UsageError.
bool gathers_values(std::string_view text);

}  // namespace yoke
