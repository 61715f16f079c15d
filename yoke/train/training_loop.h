// yoke/train/training_loop.h: what happens between the steps: reports, evaluations, checkpoints.
#pragma once
#include <atomic>
#include <functional>
#include <optional>

#include "yoke/core/system/clock.h"
#include "yoke/train/checkpoints/checkpoint_writer.h"
#include "yoke/train/epoch_pace.h"
#include "yoke/train/reporter.h"
#include "yoke/train/resolved.h"
#include "yoke/train/step_profile.h"
#include "yoke/train/trainer.h"

namespace yoke {

/// How a run ended, unless by an exception. The last: stopped, and its last checkpoint, where they
/// are on, could not be written.
enum class RunStatus { kCompleted, kStopped, kUnsaved };

/// Takes a trainer to the end of its run.
class TrainingLoop {
 public:
  /// `clock` runs since the start of the program. All other references must outlive it.
  TrainingLoop(const TrainConfig& config, const Resolved& resolved, Trainer& trainer,
               Reporter& reporter, const Stopwatch& clock);

  /// Trains to the end, or until `*stop`, if given, becomes true; the state is then saved, where
  /// checkpoints are on. @throws Error when the loss is not a number.
  RunStatus run(const std::atomic<bool>* stop);

 private:
  /// What ranks tell each other during a step, so that all do the same after it: whether any was
  /// asked to stop, and rank 0's clocks.
  class Signals;

  void take_steps(const Trainer::Beside& beside);
  bool done() const;
  /// Whether states are saved.
  bool saves() const { return config_.checkpoint_every.on() || config_.keep_best; }
  std::int64_t next_halt() const;
  bool halts(std::int64_t step) const;
  void after_steps();
  void profile(bool ended = false);
  bool reports(std::int64_t step) const;
  void report();
  void compare_ranks();
  bool evaluate();  // whether it was the best so far
  void save();
  void finish_saving();
  bool saved();  // whether the last checkpoint could be written, as all ranks learn
  void tell_problems();
  void tell_news();
  double seconds() const { return earlier_seconds_ + clock_.seconds(); }
  ProgressState progress(std::int64_t step) const;

  const TrainConfig& config_;
  const Resolved& resolved_;
  Trainer& trainer_;
  Reporter& reporter_;
  std::optional<CheckpointWriter> writer_;
  std::optional<StepProfile> profile_;
  const double earlier_seconds_;   // of the run, before this process
  const std::int64_t first_step_;  // of this process
  const Stopwatch clock_;          // since the start of the program
  const Stopwatch pace_;           // since the first step
  Stopwatch since_saved_;
  Stopwatch since_evaluated_;
  double save_clock_ = 0, evaluate_clock_ = 0;  // seconds, equal on all ranks
  EpochPace epoch_pace_;
  std::int64_t bytes_reported_ = 0;
};

}  // namespace yoke
