#include "yoke/train/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "yoke/core/clock.h"
#include "yoke/core/error.h"
#include "yoke/report/process_usage.h"
#include "yoke/train/accuracy.h"
#include "yoke/train/flags.h"
#include "yoke/train/module_state.h"
#include "yoke/train/step_pool.h"

namespace yoke {
namespace {

std::int64_t global_batch_size(const TrainConfig& config, int ranks) {
  if (config.batch_size_per_rank) return *config.batch_size_per_rank * ranks;
  return config.batch_size.value_or(kDefaultBatchSize);
}

std::int64_t count_steps(const TrainConfig& config, std::int64_t steps_per_epoch) {
  constexpr auto kUnlimited = std::numeric_limits<std::int64_t>::max();
  const std::int64_t most = config.max_steps.value_or(kUnlimited);
  if (!config.epochs) return config.max_steps ? most : kDefaultEpochs * steps_per_epoch;
  const bool huge = *config.epochs > kUnlimited / steps_per_epoch;
  return std::min(huge ? kUnlimited : *config.epochs * steps_per_epoch, most);
}

}  // namespace

Trainer::Trainer(const TrainConfig& config, Workload& workload, Communicator& communicator)
    : config_(config),
      workload_(workload),
      communicator_(communicator),
      strategy_(make_strategy(config.strategy, {.engine = *workload.engine.engine,
                                                .parameters = workload.parameters,
                                                .buffers = workload.model.module->buffers(),
                                                .communicator = communicator,
                                                .scaler = workload.scaler.get()})),
      place_(strategy_->place()),
      batch_size_(global_batch_size(config, place_.count)),
      sampler_(make_sampler()),
      total_steps_(count_steps(config, sampler_.steps_per_epoch())),
      optimizer_(strategy_->make_optimizer(config.optimizer)),
      lr_(config.lr.value_or(optimizer_->default_lr())),
      schedule_(make_schedule(config.schedule, {.lr = lr_,
                                                .total_steps = total_steps_,
                                                .steps_per_epoch = sampler_.steps_per_epoch()})) {}

void Trainer::resume(const Checkpoint& checkpoint) {
  const std::string where = fmt::format("the checkpoint of step {}", checkpoint.step);
  restore_module(*workload_.model.module, checkpoint.model, where);
  const NamedTensors carried = carried_state();
  restore_tensors(carried, with_scale_of(checkpoint.optimizer, workload_.scaler.get()), where);
  strategy_->restored();
  state_ = RunState::from_json(checkpoint.state.at("run"));
  if (communicator_.rank() != 0) state_.window = Meter();  // rank 0 has the sums of all
}

NamedTensors Trainer::carried_state() {
  NamedTensors state = optimizer_->state();
  for (auto& tensor : strategy_->state()) state.push_back(std::move(tensor));
  if (workload_.scaler) {
    for (auto& tensor : workload_.scaler->state()) state.push_back(std::move(tensor));
  }
  return state;
}

std::vector<std::string> Trainer::warnings() const {
  std::vector<std::string> warnings;
  if (const auto warning = strategy_->warning(); !warning.empty()) warnings.push_back(warning);
  if (!optimizer_->first_order() && 2 * batch_size_ < sampler_.images()) {
    warnings.push_back(fmt::format(
        "warning: {} searches along a line on one batch, {} of {} images, which says little of "
        "the others; give a --batch-size of thousands, or all of them",
        config_.optimizer, batch_size_, sampler_.images()));
  }
  return warnings;
}

std::vector<std::string> Trainer::news() {
  auto news = strategy_->news();
  if (workload_.scaler) {
    for (auto& line : workload_.scaler->take_news()) news.push_back(std::move(line));
  }
  if (const auto& damage = workload_.data.damage) {
    for (auto& line : damage->take_lines()) news.push_back(std::move(line));
  }
  return news;
}

Counters Trainer::counters() const {
  Counters counters = strategy_->counters();
  if (const auto& scaler = workload_.scaler) {
    counters.emplace_back("loss_scale", scaler->scale());
    counters.emplace_back("skipped_steps", static_cast<double>(scaler->skipped()));
  }
  return counters;
}

void Trainer::begin() {
  strategy_->begin({.first_step = state_.step,
                    .steps_per_epoch = steps_per_epoch(),
                    .total_steps = total_steps_});
}

void Trainer::finish() { strategy_->synchronise(); }

bool Trainer::meets() const { return strategy_->meets(state_.step); }

Sampler Trainer::make_sampler() const {
  return {workload_.data.train->size(),
          batch_size_,
          std::max(0, place_.index),
          place_.count,
          config_.seed,
          true};
}

std::unique_ptr<Loader> Trainer::make_loader() const {
  const Transform transform(workload_.data.train->info(), workload_.data.augmentation);
  // A rank that runs free may come to take all steps.
  const std::int64_t left = total_steps_ - state_.step;
  const std::int64_t most = state_.step + (runs_free() ? left * place_.count : left);
  return std::make_unique<Loader>(workload_.data.train, sampler_, transform, config_.seed,
                                  state_.step, most, workload_.loader);
}

void Trainer::step() {
  const Stopwatch watch;
  if (place_.index >= 0) {
    take(state_.step);
  } else {
    strategy_->attend(state_.step);
    state_.window.add_times(watch.seconds(), 0, watch.seconds());
    state_.lr = schedule_(state_.step).lr;
  }
  state_.images_seen += sampler_.global_size(state_.step % steps_per_epoch());
  state_.train_seconds += watch.seconds();
  advance(1);
}

void Trainer::advance(std::int64_t steps) {
  state_.step += steps;
  state_.window.add_steps(steps);
}

void Trainer::run_free(std::int64_t last, const std::function<bool(std::int64_t step)>& goes_on) {
  const Stopwatch watch;
  const std::int64_t first = state_.step, images_before = state_.window.images();
  StepPool pool(communicator_.group(), pools_++, (last - first) * place_.count);
  std::int64_t steps = 0;
  strategy_->depart();
  while (place_.index >= 0) {
    const auto taken = pool.take();
    if (!taken) break;
    const std::int64_t step = first + *taken / place_.count;
    if (!goes_on(step)) pool.close();
    take(step);
    ++steps;
  }
  const Stopwatch waiting;
  strategy_->rest();
  const auto sums = torch::tensor({state_.window.images() - images_before, steps}, torch::kInt64);
  communicator_.all_reduce(sums);
  state_.window.add_times(waiting.seconds(), 0, waiting.seconds());
  state_.images_seen += sums[0].item<std::int64_t>();
  state_.train_seconds += watch.seconds();
  // Where some have stopped early, all that was begun counts as done.
  advance((sums[1].item<std::int64_t>() + place_.count - 1) / place_.count);
  if (const Place now = strategy_->place(); now.count != place_.count) {  // some were lost
    place_ = now;
    sampler_ = make_sampler();
    loader_.reset();
  }
}

/// A step of this rank, timed.
void Trainer::take(std::int64_t step) {
  if (!loader_) loader_ = make_loader();
  communicator_.set_step(step);
  const Stopwatch watch;
  const double waited = loader_->wait_seconds();
  const double communicated = strategy_->communication_seconds();
  last_ = compute(step);
  state_.window.add(last_.loss, last_.ranks);
  state_.window.add_times(watch.seconds(), loader_->wait_seconds() - waited,
                          strategy_->communication_seconds() - communicated);
  state_.data_wait_seconds += loader_->wait_seconds() - waited;
  state_.lr = last_.lr;
  if (last_.loss.is_cpu()) check_loss();
}

Trainer::StepReport Trainer::compute(std::int64_t step) {
  const Batch batch = loader_->next();  // [N, C, H, W] and [N]
  const Rates rates = schedule_(step);
  const StepKey key{.seed = config_.seed, .step = step};
  Forward forward;
  // Loss and mean gradient over all ranks at the current parameters.
  const Objective objective = [&] {
    Forward latest = strategy_->gradient(batch, key);
    if (!forward.scores.defined()) forward = latest;  // before the step, as the loss
    return latest.loss;
  };
  const auto loss = strategy_->update(*optimizer_, objective, rates);
  const auto target = batch.target.to(forward.scores.device());
  return {.loss = loss, .ranks = ranks_of_target(forward.scores, target), .lr = rates.lr};
}

void Trainer::check_loss() const {
  if (!last_.loss.defined()) return;  // of other ranks alone
  const double loss = last_.loss.item<double>();
  if (std::isfinite(loss)) return;
  throw Error(
      fmt::format("the loss is {} at step {} (learning rate {:g})", loss, state_.step, last_.lr));
}

Evaluation Trainer::evaluate() {
  strategy_->synchronise();
  auto result = yoke::evaluate(*workload_.engine.engine, communicator_, workload_.data.validation,
                               batch_size_, workload_.loader, parse_views(config_.tta));
  strategy_->go_on();
  return result;
}

Checkpoint Trainer::checkpoint() {
  strategy_->synchronise();
  state_.window.gather(communicator_);
  nlohmann::json config = nlohmann::json::object();
  for (const auto& entry : to_recipe(config_)) config[entry.key] = entry.value;
  RunState state = state_;
  state.cpu_seconds += process_usage().cpu_seconds;
  Checkpoint checkpoint{.step = state_.step,
                        .state = {{"config", config}, {"run", state.to_json()}}};
  NamedTensors carried = carried_state();
  if (communicator_.rank() == 0) {
    checkpoint.model = snapshot(module_state(*workload_.model.module));
    checkpoint.optimizer = snapshot(std::move(carried));
  }
  strategy_->go_on();
  return checkpoint;
}

double Trainer::epoch() const {
  return static_cast<double>(state_.step) / static_cast<double>(steps_per_epoch());
}

}  // namespace yoke
