#include "apps/yoke/rate_trial.h"

#include <fmt/format.h>

#include <cmath>

#include "apps/yoke/environment.h"
#include "yoke/comm/factory.h"
#include "yoke/core/error.h"
#include "yoke/core/system/threads.h"
#include "yoke/engine/eager/gpu_settings.h"
#include "yoke/optim/optimizer.h"
#include "yoke/train/checkpoints/weights.h"

namespace yoke {
namespace {

void check_optimizer(const std::string& optimizer) {
  if (optimizers().choose(optimizer).traits.first_order) return;
  throw UsageError(fmt::format(
      "--optimizer is '{}', which searches along a line for how far to go: there is no rate to "
      "find; give another optimizer, e.g. sgd or adam",
      optimizer));
}

/// `config` for so many steps of one rank, whose thread pools are sized.
TrainConfig taken_up(TrainConfig config, std::int64_t steps) {
  validate(config);
  check_optimizer(config.optimizer);
  config.epochs.reset();
  config.max_steps = steps;
  config.strategy = TrainConfig().strategy;  // a recipe may have one for ranks that train together
  config.schedule = TrainConfig().schedule;
  if (config.threads == 0) config.threads = threads_from_environment();
  if (config.threads == 0) config.threads = cpu_budget().threads(1);
  set_threads(static_cast<int>(config.threads));
  apply(GpuSettings{.tf32 = config.tf32, .deterministic = config.deterministic, .trials = false});
  return config;
}

void take_weights(const TrainConfig& config, Workload& workload) {
  if (config.weights.empty()) return;
  begin_with_weights(*workload.model.module,
                     choose_weights(config.weights, config.model, config.data_dir),
                     workload.data.train->info().classes());
}

}  // namespace

RateTrial::RateTrial(const TrainConfig& given, const study::RateRange& range)
    : config_(taken_up(given, range.steps)),
      workload_(config_, config_.threads, {}),
      single_(make_communicator("single")),
      trainer_(config_, workload_, *single_) {
  take_weights(config_, workload_);
  trainer_.follow([range](std::int64_t step) { return Rates{.lr = range.lr(step)}; });
  trainer_.begin();
}

double RateTrial::next_loss() {
  Meter& window = trainer_.state().window;
  window = Meter();
  try {
    trainer_.run(trainer_.state().step + 1);
  } catch (const Error&) {
    if (std::isfinite(window.loss())) throw;  // else it is that which ended the step
  }
  return window.loss();
}

}  // namespace yoke
