// yoke/train/trainer.h: one step of training, written once, and the state it moves.
#pragma once
#include <functional>
#include <memory>

#include "yoke/comm/communicator.h"
#include "yoke/data/loader.h"
#include "yoke/data/sampler.h"
#include "yoke/optim/optimizer.h"
#include "yoke/parallel/strategy.h"
#include "yoke/train/checkpoint.h"
#include "yoke/train/evaluate.h"
#include "yoke/train/run_state.h"
#include "yoke/train/workload.h"

namespace yoke {

/// Moves a workload from step to step.
class Trainer {
 public:
  /// All references must outlive it. @throws UsageError on impossible settings.
  Trainer(const TrainConfig& config, Workload& workload, Communicator& communicator);

  /// Goes on from `checkpoint`. @throws UsageError when it is of another model.
  void resume(const Checkpoint& checkpoint);

  /// Before the first step: gives all ranks the same model and state.
  void begin();

  /// Whether ranks wait for each other in the next step.
  bool meets() const;

  /// Takes the next step. @throws Error when the loss is not a number.
  void step();

  /// Whether ranks take steps as each is ready.
  bool runs_free() const { return strategy_->runs_free(); }

  /// Takes steps until all ranks together have taken what they would have by step `last`, each of
  /// its own images, and meets the others; fewer once `goes_on`, which hears of each step before it
  /// is taken, is false on any rank. @throws Error as step() does.
  void run_free(std::int64_t last, const std::function<bool(std::int64_t step)>& goes_on);

  /// Measures the validation images.
  Evaluation evaluate();

  /// A copy of all state, as of now; on other ranks than 0 without tensors. All ranks call it
  /// alike.
  Checkpoint checkpoint();

  /// After the last step: makes the model the same on all ranks.
  void finish();

  /// @throws Error when the last loss was not a number; on a GPU this waits for the step.
  void check_loss() const;

  Communicator& communicator() { return communicator_; }
  RunState& state() { return state_; }
  const RunState& state() const { return state_; }
  std::int64_t batch_size() const { return batch_size_; }  ///< Over all ranks.
  std::int64_t steps_per_epoch() const { return sampler_.steps_per_epoch(); }
  std::int64_t total_steps() const { return total_steps_; }
  double lr() const { return lr_; }  ///< The base learning rate.
  double epoch() const;              ///< Passes over the training images done, with fraction.
  /// Of the tensors that went over this rank so far.
  std::int64_t bytes() const { return communicator_.traffic().bytes + strategy_->bytes(); }
  /// What a user should know of the choices before the first step; mostly nothing.
  std::vector<std::string> warnings() const;
  /// What has happened to ranks, which damaged files this one met, and which steps it skipped, since
  /// the last call.
  std::vector<std::string> news();
  Counters counters() const;
  bool target_reached() const { return state_.time_to_target_seconds.has_value(); }

 private:
  /// What one step found.
  struct StepReport {
    torch::Tensor loss;   // fp32 []
    torch::Tensor ranks;  // int64 [N], see ranks_of_target()
    double lr = 0;
  };

  void take(std::int64_t step);
  StepReport compute(std::int64_t step);
  void advance(std::int64_t steps);
  NamedTensors carried_state();
  Sampler make_sampler() const;
  std::unique_ptr<Loader> make_loader() const;

  const TrainConfig& config_;
  Workload& workload_;
  Communicator& communicator_;
  std::unique_ptr<Strategy> strategy_;
  Place place_;
  std::int64_t batch_size_;
  Sampler sampler_;
  std::int64_t total_steps_;
  std::unique_ptr<Optimizer> optimizer_;
  double lr_;
  Schedule schedule_;
  RunState state_;
  StepReport last_;
  std::int64_t pools_ = 0;          // of steps, so far
  std::unique_ptr<Loader> loader_;  // last: its threads read the data
};

}  // namespace yoke
