#include "yoke/train/best_weights.h"

#include <fmt/format.h>

#include "yoke/core/error.h"
#include "yoke/parallel/agreement.h"
#include "yoke/train/checkpoints/checkpoint.h"
#include "yoke/train/checkpoints/module_state.h"

namespace yoke {
namespace {

/// That of the step `step` in `directory`. @throws Error where there is none, or it is damaged.
Checkpoint read_step(const std::filesystem::path& directory, std::int64_t step) {
  for (const auto& path : list_checkpoints(directory)) {
    if (checkpoint_step(path) == step) return read_checkpoint(path);
  }
  throw Error(fmt::format("{} has no checkpoint of it", directory.string()));
}

std::string take_weights(const RunDirectory& directory, Workload& workload, RunState& state) {
  const Checkpoint best = read_step(directory.checkpoints(), state.best_step);
  restore_module(*workload.model.module, best.model,
                 fmt::format("the checkpoint of step {}", best.step));
  RunState then = RunState::from_json(best.state.at("run"));
  state.validation = then.validation;
  state.balanced_accuracy = then.balanced_accuracy;
  state.macro_f1 = then.macro_f1;
  state.per_class_accuracy = std::move(then.per_class_accuracy);
  state.confusion = std::move(then.confusion);
  state.confidence_bins = std::move(then.confidence_bins);
  state.sightings = std::move(then.sightings);
  return fmt::format("best       the run's weights are those of step {}: {:.2f} % right", best.step,
                     100 * state.best_val_top1);
}

}  // namespace

std::optional<std::string> use_best_weights(const RunDirectory& directory, Workload& workload,
                                            Trainer& trainer) {
  RunState& state = trainer.state();
  if (state.best_step == 0 || state.best_step == state.step) return std::nullopt;
  std::optional<std::string> told;
  if (trainer.communicator().rank() == 0) {
    try {
      told = take_weights(directory, workload, state);
    } catch (const std::exception& error) {
      told = fmt::format(
          "warning: the weights of step {}, the best, cannot be had: {}; those of the last step "
          "are the run's",
          state.best_step, error.what());
    }
  }
  broadcast_model(workload.parameters, workload.model.module->buffers(), trainer.communicator());
  return told;
}

}  // namespace yoke
