#include "yoke/train/trainer.h"

#include <ATen/record_function.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "yoke/core/error.h"
#include "yoke/core/format.h"
#include "yoke/core/system/clock.h"
#include "yoke/engine/eager/step_graph.h"
#include "yoke/optim/saved_state.h"
#include "yoke/report/machine/process_usage.h"
#include "yoke/run/summary.h"
#include "yoke/train/checkpoints/module_state.h"
#include "yoke/train/evaluation/accuracy.h"
#include "yoke/train/run_length.h"

namespace yoke {

Trainer::Trainer(const TrainConfig& config, Workload& workload, Communicator& communicator,
                 std::optional<std::int64_t> kept)
    : config_(config),
      workload_(workload),
      communicator_(communicator),
      strategy_(make_strategy(
          config.strategy,
          {.engine = *workload.engine.engine,
           .parameters = workload.parameters,
           .buffers = workload.model.module->buffers(),
           .communicator = communicator,
           .optimizer = config.optimizer,
           .scaler = workload.scaler.get(),
           .graph = config.cuda_graph ? MakeStepGraph(make_step_graph) : MakeStepGraph(),
           .warn = [this](const std::string& warning) { warnings_.push_back(warning); }})),
      data_shard_(strategy_->workers().data_shard()),
      batch_sizes_(config.batch_size_per_rank && kept
                       ? *kept
                       : global_batch_sizes(config, data_shard_.count)),
      sampler_(make_sampler()),
      total_steps_(count_steps(config, epochs())),
      lr_(config.lr.value_or(optimizers().choose(config.optimizer).traits.default_lr)),
      schedule_(make_schedule(config.schedule,
                              {.lr = lr_, .total_steps = total_steps_, .epochs = epochs()})) {
  warn_of_line_search();
  warn_of_sizes();
  if (const auto rule = schedules().choose(config.schedule).traits.plateau) plateau_.emplace(*rule);
  if (!config.ema.empty()) {
    if (evaluates_each_rank()) {
      throw UsageError(fmt::format(
          "--strategy {} was given with --ema, which takes the ranks' mean before an evaluation "
          "can measure each; leave out evaluate=each or --ema",
          config.strategy));
    }
    average_.emplace(parse_weight_average(config.ema), workload.parameters,
                     workload.model.module->buffers(), total_steps_);
    if (average_->first_step() > total_steps_) {
      warnings_.push_back(fmt::format(
          "warning: --ema {}: the run ends before its weights count, after step {} of {}; give a "
          "smaller every or start",
          config.ema, average_->first_step(), total_steps_));
    }
  }
  if (const auto asked = global_batch_sizes(config, data_shard_.count); asked != batch_sizes_) {
    warnings_.push_back(
        fmt::format("warning: steps stay of {} images, as before, so that they mean the same: "
                    "--batch-size-per-rank {} on {} ranks would make them {}",
                    batch_sizes_.str(), config.batch_size_per_rank.value_or(0), data_shard_.count,
                    asked.str()));
  }
}

void Trainer::resume(const Checkpoint& checkpoint) {
  const std::string where = fmt::format("the checkpoint of step {}", checkpoint.step);
  restore_module(*workload_.model.module, checkpoint.model, where);
  auto saved = with_scale_of(checkpoint.optimizer, workload_.scaler.get());
  saved = with_own_state(std::move(saved), {Plateau::kName},
                         plateau_ ? plateau_->state() : NamedTensors());
  const NamedTensors carried = carried_state();  // until restored(): parts of a state are put back
  restore_tensors(carried, saved, where);
  if (average_ && average_->count() > 0) average_->swap();
  strategy_->restored();
  state_ = RunState::from_json(checkpoint.state.at("run"));
  if (communicator_.rank() != 0) state_.window = Meter();  // rank 0 has the sums of all
}

NamedTensors Trainer::carried_state() {
  NamedTensors state = strategy_->state();
  const auto add = [&](const NamedTensors& more) {
    state.insert(state.end(), more.begin(), more.end());
  };
  if (workload_.scaler) add(workload_.scaler->state());
  if (plateau_) add(plateau_->state());
  if (average_) add(average_->state());
  return state;
}

void Trainer::warn_of_line_search() {
  const bool first_order = optimizers().choose(config_.optimizer).traits.first_order;
  const std::int64_t least = batch_sizes_.all().front();
  if (first_order || 2 * least >= sampler_.images()) return;
  warnings_.push_back(fmt::format(
      "warning: {} searches along a line on one batch, {} of {} images, which says little of "
      "the others; give a --batch-size of thousands, or all of them",
      config_.optimizer, least, sampler_.images()));
}

std::vector<std::string> Trainer::events() {
  auto events = std::exchange(events_, {});
  if (workload_.scaler) {
    for (auto& line : workload_.scaler->take_events()) events.push_back(std::move(line));
  }
  if (const auto& damage = workload_.data.damage) {
    for (auto& line : damage->take_lines()) events.push_back(std::move(line));
  }
  return events;
}

Counters Trainer::counters() const {
  Counters counters = strategy_->statistics().counters;
  if (const auto& scaler = workload_.scaler) {
    counters.emplace_back("loss_scale", scaler->scale());
    counters.emplace_back("skipped_steps", static_cast<double>(scaler->skipped()));
  }
  if (average_) counters.emplace_back("ema_weights", static_cast<double>(average_->count()));
  return counters;
}

std::int64_t Trainer::bytes() const {
  return communicator_.traffic().bytes + strategy_->statistics().bytes;
}

void Trainer::begin() {
  strategy_->begin({.first_step = state_.step, .epochs = epochs(), .total_steps = total_steps_});
}

void Trainer::finish() { static_cast<void>(settle()); }

void Trainer::run(std::int64_t last, const Beside& beside) {
  resize_images();
  const Stopwatch watch;
  const StretchResult done = strategy_->workers().run(
      {.first = state_.step,
       .last = last,
       .take = [this](std::int64_t step) { return take(step); },
       .goes_on = [&](std::int64_t step) { return !beside.goes_on || beside.goes_on(step); },
       .meet =
           [&] {
             if (beside.meet) beside.meet();
           }});
  add(done);
  if (averages(state_.step)) add_to_average();
  state_.train_seconds += watch.seconds();
}

/// A step of this rank, timed.
Stretch::Images Trainer::take(std::int64_t step) {
  if (!loader_ && data_shard_.index >= 0) loader_ = make_loader();
  communicator_.set_step(step);
  RECORD_USER_SCOPE(fmt::format("ProfilerStep#{}", step + 1));  // as torch.profiler calls it
  const auto data_wait = [this] { return loader_ ? loader_->wait_seconds() : 0; };
  const Stopwatch watch;
  const double waited = data_wait();
  last_ = this->step(step);
  state_.window.add(last_.loss, last_.ranks);
  state_.window.add_times(watch.seconds(), data_wait() - waited, last_.communication_seconds);
  state_.data_wait_seconds += data_wait() - waited;
  state_.lr = last_.lr;
  if (last_.loss.is_cpu()) check_loss();
  return last_.images;
}

Trainer::StepReport Trainer::step(std::int64_t step) {
  const Batch batch = next_batch(step);  // [N, C, H, W] and [N]
  const Rates rates = this->rates(step);
  const StepResult result = strategy_->step(batch, {.seed = config_.seed, .step = step}, rates);
  const auto target = batch.target.to(result.scores.device());
  return {.step = step,
          .loss = result.loss,
          .ranks = ranks_of_target(result.scores, target),
          .lr = rates.lr,
          .communication_seconds = result.communication_seconds,
          .images = {.own = batch.size(), .all = batch.whole()}};
}

Rates Trainer::rates(std::int64_t step) const {
  Rates rates = schedule_(step);
  if (plateau_) rates.lr = plateau_->rate(rates.lr);
  return rates;
}

/// Counts what all ranks have done in a stretch.
void Trainer::add(const StretchResult& done) {
  state_.step += done.steps;
  state_.window.add_steps(done.steps);
  state_.window.add_times(done.waiting_seconds, 0, done.waiting_seconds);
  state_.images_seen += done.images;
  events_.insert(events_.end(), done.events.begin(), done.events.end());
  if (const DataShard now = strategy_->workers().data_shard(); now.count != data_shard_.count) {
    data_shard_ = now;
    sampler_ = make_sampler();
    loader_.reset();
  }
}

void Trainer::add_to_average() {
  const auto go_on = strategy_->synchronise();
  average_->add();
  go_on();
}

/// Gives all ranks the model that is evaluated and saved; returns what gives each its own back.
std::function<void()> Trainer::settle() {
  auto go_on = strategy_->synchronise();
  if (!average_ || average_->count() == 0) return go_on;
  average_->swap();
  return [this, go_on = std::move(go_on)] {
    average_->swap();
    go_on();
  };
}

void Trainer::check_loss() const {
  if (!last_.loss.defined()) return;  // of other ranks alone
  const double loss = last_.loss.item<double>();
  if (std::isfinite(loss)) return;
  throw Error(fmt::format(
      "the loss is {} at step {} (learning rate {:g}); give a lower --lr, or clip gradients, as "
      "--optimizer sgd:clip=1 does",
      std::fabs(loss), last_.step, last_.lr));  // a nan's sign says nothing
}

bool Trainer::evaluates_each_rank() const {
  return strategies().choose(config_.strategy).traits.evaluates_each_rank;
}

Evaluation Trainer::measure(Communicator& ranks) {
  const std::int64_t images = batch_sizes_.all().back() * ranks.size() / communicator_.size();
  return yoke::evaluate(*workload_.engine.engine, ranks, workload_.data.validation,
                        std::max<std::int64_t>(1, images), workload_.loader, config_.tta);
}

/// Top-1 accuracies, by rank.
std::vector<double> Trainer::measure_each_rank() {
  Communicator alone(Group(), communicator_.name(), nullptr);
  auto top1 = torch::zeros({communicator_.size()}, torch::kFloat64);
  top1[communicator_.rank()] = measure(alone).top1;
  communicator_.all_reduce(top1);
  const auto* const values = top1.data_ptr<double>();
  return {values, values + top1.numel()};
}

Evaluation Trainer::evaluate() {
  RECORD_USER_SCOPE("evaluate");
  auto rank_top1 = evaluates_each_rank() ? measure_each_rank() : std::vector<double>();
  const auto go_on = settle();
  auto result = measure(communicator_);
  go_on();
  result.rank_top1 = std::move(rank_top1);
  if (plateau_ && plateau_->add(result.loss, result.top1)) {
    const auto& rule = plateau_->rule();
    events_.push_back(fmt::format(
        "plateau    the learning rate goes on at {:g}: no better {} in {}", rates(state_.step).lr,
        rule.metric == PlateauMetric::kLoss ? "loss" : "accuracy",
        format_count(rule.patience + 1, "evaluation")));
  }
  return result;
}

Checkpoint Trainer::checkpoint(const std::vector<RecipeEntry>& recipe) {
  RECORD_USER_SCOPE("checkpoint: copy");
  const auto go_on = settle();
  state_.window.gather(communicator_);
  nlohmann::json config = nlohmann::json::object();
  for (const auto& entry : recipe) config[entry.key] = entry.value;
  RunState state = state_;
  state.cpu_seconds += process_usage().cpu_seconds;
  Checkpoint checkpoint{
      .step = state_.step,
      .state = {{"config", config}, {"run", state.to_json()}, {key::kBatchSize, batch_size()}}};
  NamedTensors carried = carried_state();
  if (communicator_.rank() == 0) {
    checkpoint.model = snapshot(module_state(*workload_.model.module));
    checkpoint.metadata = workload_.metadata;
    checkpoint.optimizer = snapshot(std::move(carried));
  }
  go_on();
  return checkpoint;
}

}  // namespace yoke
