#include "yoke/train/training_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "yoke/core/error.h"
#include "yoke/core/format.h"
#include "yoke/train/config/flags.h"
#include "yoke/train/each_rank.h"

namespace yoke {

class TrainingLoop::Signals {
 public:
  explicit Signals(TrainingLoop& loop) : loop_(loop) {}

  /// Before a step; its answer comes while the step is computed.
  void send(bool stop) {
    const bool leads = loop_.trainer_.communicator().rank() == 0;
    tensor_ = torch::tensor({stop ? 1.0 : 0.0, leads ? loop_.since_saved_.seconds() : 0.0,
                             leads ? loop_.since_evaluated_.seconds() : 0.0},
                            torch::kFloat64);
    work_ = loop_.trainer_.communicator().start(Operation::all_reduce(tensor_));
  }

  void receive() {
    work_.wait();
    const auto* const values = tensor_.data_ptr<double>();
    stop_ = values[0] > 0;
    loop_.save_clock_ = values[1];
    loop_.evaluate_clock_ = values[2];
  }

  bool stop() const { return stop_; }

 private:
  TrainingLoop& loop_;
  torch::Tensor tensor_;
  Work work_;
  bool stop_ = false;
};

TrainingLoop::TrainingLoop(const TrainConfig& config, const Resolved& resolved, Trainer& trainer,
                           Reporter& reporter, const Stopwatch& clock)
    : config_(config),
      resolved_(resolved),
      trainer_(trainer),
      reporter_(reporter),
      earlier_seconds_(trainer.state().wall_seconds),
      first_step_(trainer.state().step),
      clock_(clock) {
  if (saves() && trainer.communicator().rank() == 0) {
    writer_.emplace(resolved.directory.checkpoints(), config.keep);
  }
  if (config.profile) {
    profile_.emplace(*config.profile, resolved.directory.profile(), trainer.communicator(),
                     resolved.recorder);
  }
}

RunStatus TrainingLoop::run(const std::atomic<bool>* stop) {
  const auto asked = [&] { return stop != nullptr && *stop; };
  reporter_.phase(PhaseKind::kLoading, earlier_seconds_);
  trainer_.begin();
  reporter_.phase(PhaseKind::kTraining, seconds());
  Signals signals(*this);
  signals.send(asked());
  signals.receive();
  profile();
  while (!done() && !signals.stop()) {
    take_steps({.goes_on =
                    [&](std::int64_t step) {
                      reporter_.step(progress(step));
                      return !asked();
                    },
                .meet = [&] { signals.send(asked()); }});
    signals.receive();
    after_steps();
  }
  profile(/*ended=*/true);
  if (saves()) finish_saving();
  trainer_.finish();
  trainer_.state().wall_seconds = seconds();
  reporter_.phase(PhaseKind::kEnded, seconds());
  if (done()) return RunStatus::kCompleted;
  return !saves() || saved() ? RunStatus::kStopped : RunStatus::kUnsaved;
}

bool TrainingLoop::done() const {
  const RunState& state = trainer_.state();
  const bool waits = !config_.patience || state.evaluations_without_best < *config_.patience;
  return state.step >= trainer_.total_steps() || trainer_.target_reached() || !waits;
}

/// The step after which ranks meet next, or something else is due.
std::int64_t TrainingLoop::next_halt() const {
  const std::int64_t meeting = trainer_.next_meeting();
  std::int64_t step = trainer_.state().step + 1;
  while (step < meeting && !halts(step)) ++step;
  return step;
}

bool TrainingLoop::halts(std::int64_t step) const {
  const Epochs& epochs = trainer_.epochs();
  return reports(step) || (profile_ && profile_->halts(step)) || trainer_.averages(step) ||
         trainer_.resizes(step) || config_.eval_every.due(step, epochs, 0) ||
         config_.checkpoint_every.due(step, epochs, 0);
}

void TrainingLoop::take_steps(const Trainer::Beside& beside) {
  try {
    trainer_.run(next_halt(), beside);
  } catch (const Error& error) {
    tell_news();
    if (!writer_) throw;
    writer_->wait();
    const auto good = writer_->newest();
    throw Error(fmt::format("{}; the last good checkpoint is {}", error.what(),
                            good ? good->string() : "none"));
  }
}

bool TrainingLoop::reports(std::int64_t step) const {
  return step == trainer_.total_steps() || step % config_.print_every == 0 ||
         trainer_.epochs().starts(step);
}

void TrainingLoop::after_steps() {
  const std::int64_t step = trainer_.state().step;
  const Epochs& epochs = trainer_.epochs();
  const bool last = step == trainer_.total_steps();
  reporter_.step(progress(step));
  if (reports(step)) report();
  if (last || epochs.starts(step)) compare_ranks();
  const bool evaluates = last || config_.eval_every.due(step, epochs, evaluate_clock_);
  const bool best = evaluates && evaluate();
  const bool due = config_.checkpoint_every.due(step, epochs, save_clock_);
  if (due || (best && config_.keep_best)) save();
  profile();
}

/// Begins or ends it, where it is due after the steps so far.
void TrainingLoop::profile(bool ended) {
  if (!profile_) return;
  const std::int64_t before = trainer_.bytes();
  if (const auto told = profile_->after(trainer_.state().step, ended)) reporter_.message(*told);
  bytes_reported_ += trainer_.bytes() - before;  // are not of steps
}

void TrainingLoop::compare_ranks() {
  if (const auto line = epoch_pace_.compare(trainer_.communicator())) reporter_.message(*line);
}

void TrainingLoop::report() {
  trainer_.check_loss();
  tell_news();
  RunState& state = trainer_.state();
  Meter& window = state.window;
  window.gather(trainer_.communicator());
  const double busy = window.step_seconds();
  const double compute = busy - window.data_wait_seconds() - window.communication_seconds();
  const std::int64_t bytes = trainer_.bytes();
  const auto steps = static_cast<double>(window.steps());
  const Metrics metrics{.step = state.step,
                        .epoch = trainer_.epoch(),
                        .seconds = seconds(),
                        .split = "train",
                        .loss = window.loss(),
                        .top1 = window.top1(),
                        .top5 = window.top5(),
                        .lr = state.lr,
                        .images_per_second = static_cast<double>(window.images()) / busy,
                        .data_wait_seconds = window.data_wait_seconds(),
                        .compute_seconds = compute,
                        .communication_seconds = window.communication_seconds(),
                        .communication_bytes = bytes - bytes_reported_};
  reporter_.training(
      progress(state.step), metrics,
      {.step_seconds = busy / steps, .data_wait_seconds = window.data_wait_seconds() / steps});
  state.final_train_loss = metrics.loss;
  epoch_pace_.add(compute, window.data_wait_seconds(), window.communication_seconds());
  bytes_reported_ = bytes;
  window = Meter();
}

bool TrainingLoop::evaluate() {
  reporter_.phase(PhaseKind::kEvaluating, seconds());
  const Stopwatch watch;
  const Evaluation result = trainer_.evaluate();
  const double elapsed = watch.seconds();
  RunState& state = trainer_.state();
  const bool first = !state.validation;
  state.evaluate_seconds += elapsed;
  state.validation = Metrics{.step = state.step,
                             .epoch = trainer_.epoch(),
                             .seconds = seconds(),
                             .split = "val",
                             .loss = result.loss,
                             .top1 = result.top1,
                             .top5 = result.top5,
                             .lr = state.lr,
                             .images_per_second = static_cast<double>(result.images) / elapsed,
                             .compute_seconds = elapsed,
                             .rank_top1 = result.rank_top1};
  state.balanced_accuracy = result.balanced_accuracy;
  state.macro_f1 = result.macro_f1;
  state.per_class_accuracy = result.per_class_accuracy;
  constexpr std::size_t kMostClasses = 100;  // more would make summary.json megabytes
  if (result.per_class_accuracy.size() <= kMostClasses) state.confusion = confusion_rows(result);
  state.confidence_bins = result.confidence_bins;
  state.sightings = result.sightings;
  const bool best = first || result.top1 > state.best_val_top1;
  if (best) {
    state.best_val_top1 = result.top1;
    state.best_step = state.step;
  }
  state.evaluations_without_best = best ? 0 : state.evaluations_without_best + 1;
  if (config_.target_accuracy && result.top1 >= *config_.target_accuracy) {
    state.time_to_target_seconds = state.train_seconds + state.evaluate_seconds;
  }
  since_evaluated_.lap();
  reporter_.validation(progress(state.step), *state.validation);
  if (const auto line = line_of_each_rank(*state.validation)) reporter_.message(*line);
  tell_news();
  reporter_.phase(PhaseKind::kTraining, seconds());
  if (state.evaluations_without_best == config_.patience) {
    reporter_.message(fmt::format("ends here: {} without a better accuracy than that of step {}",
                                  format_count(*config_.patience, "evaluation"), state.best_step));
  }
  return best;
}

void TrainingLoop::save() {
  trainer_.check_loss();
  RunState& state = trainer_.state();
  const Stopwatch watch;
  state.wall_seconds = seconds();
  reporter_.phase(PhaseKind::kCheckpointing, state.wall_seconds);
  Checkpoint checkpoint = trainer_.checkpoint(run_recipe(config_, resolved_));
  if (writer_) writer_->save(std::move(checkpoint), config_.keep_best ? state.best_step : 0);
  state.checkpoint_seconds += watch.seconds();
  reporter_.phase(PhaseKind::kTraining, seconds());
  since_saved_.lap();
  tell_problems();
}

void TrainingLoop::finish_saving() {
  if (trainer_.state().step > first_step_) save();
  if (!writer_) return;
  const Stopwatch watch;
  reporter_.phase(PhaseKind::kCheckpointing, seconds());
  writer_->wait();
  trainer_.state().checkpoint_seconds += watch.seconds();
  tell_problems();
}

bool TrainingLoop::saved() {
  auto lost = torch::tensor({writer_ && !writer_->last_was_written() ? 1.0 : 0.0}, torch::kFloat64);
  trainer_.communicator().start(Operation::all_reduce(lost)).wait();
  return lost.item<double>() == 0;
}

void TrainingLoop::tell_problems() {
  if (!writer_) return;
  for (const auto& problem : writer_->take_problems()) {
    const auto good = writer_->newest();
    reporter_.message(fmt::format("warning: {}; training goes on; the last good checkpoint is {}",
                                  problem, good ? good->string() : "none"));
  }
}

void TrainingLoop::tell_news() {
  for (const auto& line : trainer_.events()) reporter_.message(line);
}

ProgressState TrainingLoop::progress(std::int64_t step) const {
  // By this process's own pace, for a resumed run may be on another machine.
  const Epochs& epochs = trainer_.epochs();
  const double done = epochs.passed(step) - epochs.passed(first_step_);
  const double left = epochs.passed(trainer_.total_steps()) - epochs.passed(step);
  return {.step = step,
          .total_steps = trainer_.total_steps(),
          .epochs = epochs,
          .seconds_left = done > 0 ? pace_.seconds() / done * left : 0};
}

}  // namespace yoke
