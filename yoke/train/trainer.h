// yoke/train/trainer.h: one step of training, written once, and the state it moves.
#pragma once
#include <functional>
#include <memory>
#include <utility>

#include "yoke/comm/communicator.h"
#include "yoke/core/epochs.h"
#include "yoke/core/files/recipe.h"
#include "yoke/data/loader.h"
#include "yoke/data/sampler.h"
#include "yoke/optim/schedule.h"
#include "yoke/optim/weight_average.h"
#include "yoke/parallel/strategy.h"
#include "yoke/train/checkpoints/checkpoint.h"
#include "yoke/train/checkpoints/run_state.h"
#include "yoke/train/evaluation/evaluate.h"
#include "yoke/train/workload.h"

namespace yoke {

/// Moves a workload from step to step.
class Trainer {
 public:
  /// All references must outlive it. @throws UsageError on impossible settings.
  /// `kept` is the batch size of the checkpoint that the run goes on from: its steps stay as large
  /// where --batch-size-per-rank and another number of ranks would change them.
  Trainer(const TrainConfig& config, Workload& workload, Communicator& communicator,
          std::optional<std::int64_t> kept = std::nullopt);

  /// Goes on from `checkpoint`. @throws UsageError when it is of another model.
  void resume(const Checkpoint& checkpoint);

  /// From now on steps go by `schedule`, in place of the one that the configuration names.
  void follow(Schedule schedule) { schedule_ = std::move(schedule); }

  /// Before the first step: gives all ranks the same model and state.
  void begin();

  /// After how many steps all ranks meet next: more than state().step.
  std::int64_t next_meeting() const { return strategy_->workers().next_meeting(state_.step); }

  /// What the ranks do beside their steps, see Stretch; each may be empty.
  struct Beside {
    std::function<bool(std::int64_t step)> goes_on;  ///< Before a step.
    std::function<void()> meet;
  };

  /// Takes steps until all ranks together have taken `last`, no more than next_meeting(); fewer
  /// where ranks run free and one does not go on. @throws Error when a loss is not a number.
  void run(std::int64_t last, const Beside& beside = {});

  /// Whether run() must end after `step` steps, for the weights then go into their average.
  bool averages(std::int64_t step) const { return average_ && average_->due(step); }

  /// Whether run() must end after `step` steps, for images then have another size.
  bool resizes(std::int64_t step) const;

  /// Measures the validation images, by the average of the weights where there is one; first by
  /// each rank's own model where the strategy is to tell that, too.
  Evaluation evaluate();

  /// A copy of all state, as of now, and of `recipe`, the run's flags; on other ranks than 0
  /// without tensors. Its model is the average of the weights where there is one. All ranks call it
  /// alike.
  Checkpoint checkpoint(const std::vector<RecipeEntry>& recipe);

  /// After the last step: makes the model the same on all ranks, the average of its weights where
  /// there is one.
  void finish();

  /// @throws Error when the last loss was not a number; on a GPU this waits for the step.
  void check_loss() const;

  Communicator& communicator() { return communicator_; }
  RunState& state() { return state_; }
  const RunState& state() const { return state_; }
  const std::optional<WeightAverage>& average() const { return average_; }
  const SizesByEpoch& batch_sizes() const { return batch_sizes_; }  ///< Over all ranks.
  std::int64_t batch_size() const;  ///< Likewise: of the latest step, or the first.
  const Epochs& epochs() const { return sampler_.epochs(); }
  std::int64_t total_steps() const { return total_steps_; }
  double lr() const { return lr_; }  ///< The base learning rate.
  /// Passes over the training images done, with fraction.
  double epoch() const { return epochs().passed(state_.step); }
  /// Of the tensors that went over this rank so far.
  std::int64_t bytes() const;
  /// Those of `train` of which batches are made on the GPU; null where threads make them.
  std::shared_ptr<ResidentImages> resident_images(
      const std::shared_ptr<const Dataset>& train) const;
  /// What a user should know of the choices before the first step; mostly nothing.
  const std::vector<std::string>& warnings() const { return warnings_; }
  /// What has happened to ranks, which damaged files this one met, and which steps it skipped,
  /// since the last call.
  std::vector<std::string> events();
  Counters counters() const;
  bool target_reached() const { return state_.time_to_target_seconds.has_value(); }

 private:
  /// What one step found.
  struct StepReport {
    std::int64_t step = 0;
    torch::Tensor loss;   // fp32 []
    torch::Tensor ranks;  // int64 [N], see ranks_of_target()
    double lr = 0;
    double communication_seconds = 0;
    Stretch::Images images;
  };

  StepReport step(std::int64_t step);
  Stretch::Images take(std::int64_t step);
  Rates rates(std::int64_t step) const;
  void add(const StretchResult& done);
  void add_to_average();
  std::function<void()> settle();
  bool evaluates_each_rank() const;
  Evaluation measure(Communicator& ranks);
  std::vector<double> measure_each_rank();
  Batch next_batch(std::int64_t step);
  void warn_of_line_search();
  void warn_of_sizes();
  NamedTensors carried_state();
  Sampler make_sampler() const;
  void resize_images();
  std::unique_ptr<Loader> make_loader() const;

  const TrainConfig& config_;
  Workload& workload_;
  Communicator& communicator_;
  std::vector<std::string> warnings_;
  std::unique_ptr<Strategy> strategy_;
  DataShard data_shard_;
  SizesByEpoch batch_sizes_;
  Sampler sampler_;
  std::int64_t total_steps_;
  double lr_;
  Schedule schedule_;
  std::optional<Plateau> plateau_;
  std::optional<WeightAverage> average_;
  RunState state_;
  StepReport last_;
  std::int64_t loaded_size_ = 0;     // of the loader's images, where sizes are given
  std::vector<std::string> events_;  // of ranks
  std::unique_ptr<Loader> loader_;   // last: its threads read the data
};

}  // namespace yoke
