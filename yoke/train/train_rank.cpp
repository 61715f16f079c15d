#include "yoke/train/train_rank.h"

#include <c10/core/impl/VirtualGuardImpl.h>
#include <fmt/format.h>
#include <torch/cuda.h>

#include <algorithm>
#include <vector>

#include "yoke/comm/factory.h"
#include "yoke/comm/text.h"
#include "yoke/core/error.h"
#include "yoke/core/files/file.h"
#include "yoke/core/parse_number.h"
#include "yoke/core/system/clock.h"
#include "yoke/core/system/threads.h"
#include "yoke/engine/eager/gpu_settings.h"
#include "yoke/report/machine/gpu_counters.h"
#include "yoke/report/machine/resources.h"
#include "yoke/run/summary.h"
#include "yoke/train/agree.h"
#include "yoke/train/announce.h"
#include "yoke/train/best_weights.h"
#include "yoke/train/checkpoints/export.h"
#include "yoke/train/checkpoints/model_file.h"
#include "yoke/train/checkpoints/module_state.h"
#include "yoke/train/checkpoints/resume.h"
#include "yoke/train/checkpoints/set_aside.h"
#include "yoke/train/checkpoints/weights.h"
#include "yoke/train/config/flags.h"
#include "yoke/train/cores.h"
#include "yoke/train/gpus.h"
#include "yoke/train/predicted_images.h"
#include "yoke/train/resolved.h"
#include "yoke/train/run_directory.h"
#include "yoke/train/step_profile.h"
#include "yoke/train/summary.h"

namespace yoke {
namespace {

/// Whether the ranks are threads of this process.
bool in_process(const TrainContext& context, const Group& group) {
  return context.world.size == 1 && group.size > 1;
}

/// Takes this rank's cores and sizes the thread pools.
CoreShare take_cores(const TrainConfig& config, const TrainContext& context, const Group& group) {
  std::int64_t threads = config.threads;
  if (in_process(context, group) && threads > 0) {
    threads = std::max<std::int64_t>(1, threads / group.size);
  }
  CoreShare share = share_cores(group, cpu_budget(), threads);
  if (group.size > 1) pin_to(share.cores);
  set_threads(share.threads);
  return share;
}

/// The device of a GPU rank is known only with the workload; the communicator comes before.
bool on_gpu(const TrainConfig& config) {
  return config.device != DeviceKind::kCpu && torch::cuda::is_available();
}

/// Ranks of a host that see the same GPUs take one each, or one for each replica.
void take_gpus(const Group& group, std::int64_t replicas) {
  const auto ranks = group.neighbours();
  const auto place = std::find(ranks.begin(), ranks.end(), group.rank) - ranks.begin();
  const auto gpus = static_cast<std::int64_t>(torch::cuda::device_count());
  c10::impl::VirtualGuardImpl(torch::kCUDA)
      .setDevice({torch::kCUDA, static_cast<c10::DeviceIndex>(first_gpu(place, replicas, gpus))});
}

/// Who trains together, and with what.
struct Meeting {
  CoreShare cores;  ///< This rank's.
  std::unique_ptr<Communicator> communicator;
};

/// Shares the machine and the configuration with the other ranks.
Meeting meet(const TrainConfig& config, const TrainContext& context, const Group& group) {
  if (on_gpu(config)) take_gpus(group, config.replicas);
  Meeting meeting{.cores = take_cores(config, context, group),
                  .communicator = make_communicator(config.comm, group, on_gpu(config))};
  agree_on_config(config, *meeting.communicator);
  return meeting;
}

/// What a run that begins without a checkpoint begins with, if not from the seed.
std::optional<WeightsChoice> asked_weights(const TrainConfig& config) {
  if (config.weights.empty()) return std::nullopt;
  return choose_weights(config.weights, config.model, config.data_dir);
}

/// Begins with these weights; returns what is to be told of them.
std::string take_weights(const WeightsChoice& choice, const TrainConfig& config,
                         Workload& workload) {
  const auto head =
      begin_with_weights(*workload.model.module, choice, workload.data.train->info().classes());
  return head ? fmt::format("{}; {}", config.weights, head->text()) : config.weights;
}

/// Of the GPUs that this rank's replicas are on, on the PCI bus.
std::vector<std::string> gpu_addresses(const Workload& workload) {
  std::vector<std::string> addresses;
  if (!workload.device.is_cuda()) return addresses;
  for (int r = 0; r < workload.engine.replicas; ++r) {
    addresses.push_back(gpu_address(workload.device.index() + r));
  }
  return addresses;
}

/// Of an earlier part of a resumed run, what came after its step is set aside: it is not this
/// run's. Returns what is to be told of that.
std::vector<std::string> begin(const TrainConfig& config, const Resolved& resolved,
                               const RunState& state) {
  const RunDirectory& directory = resolved.directory;
  std::vector<std::string> messages;
  if (!config.resume.empty()) {
    set_aside_after(directory, state.step,
                    [&](const std::string& text) { messages.push_back(text); });
    drop_resources(directory.resources(), state.wall_seconds);
  }
  std::filesystem::remove(directory.weights());
  std::filesystem::remove(directory.summary());
  std::filesystem::remove(directory.predictions());
  write_file(directory.config(), recipe_text(run_recipe(config, resolved)));
  note_resume(config, directory);
  return messages;
}

/// The weights alone, for `yoke evaluate` and `yoke export` of a run without checkpoints.
void write_final_weights(const RunDirectory& directory, const Workload& workload) {
  write_weights(directory.weights(), WeightFormat::kSafetensors,
                module_state(*workload.model.module), workload.metadata);
}

/// What a step of the run that is gone on with has, over all ranks; older versions did not say.
/// @throws Error where that is no size.
std::optional<std::int64_t> batch_size_of(const std::optional<Checkpoint>& checkpoint) {
  if (!checkpoint || !checkpoint->state.contains(key::kBatchSize)) return std::nullopt;
  const auto& found = checkpoint->state.at(key::kBatchSize);
  const auto size = parse_number<std::int64_t>(found.dump(), 1);
  if (!size) {
    throw Error(fmt::format(
        "the state.json of the checkpoint of step {} has {} as its {}; expected a whole number "
        "from 1 on; go on from another checkpoint, by --resume PATH",
        checkpoint->step, found.dump(), key::kBatchSize));
  }
  return size;
}

/// What this rank found out, but for the run directory.
Resolved resolve(const TrainConfig& config, const CoreShare& cores, const Workload& workload,
                 const Trainer& trainer, bool records) {
  return {.threads = cores.threads,
          .replicas = workload.engine.replicas,
          .lr = trainer.lr(),
          .directory = {},
          .recorder = records,
          .resources = config.resources && records};
}

/// What was `found`, with the run directory: rank 0 makes it, the others have it by its name.
/// `messages` gets what is to be told of what was there.
Resolved with_run_directory(const TrainConfig& config, Resolved found, bool resumes,
                            const TrainParts& parts, Trainer& trainer,
                            std::vector<std::string>& messages) {
  RunDirectory& directory = found.directory;
  Communicator& communicator = trainer.communicator();
  if (communicator.rank() == 0) {
    directory = make_run_directory(config, goes_on_in_out(config));
    if (!config.resume.empty() && !resumes) check_nothing_to_lose(directory);
    for (auto& text : begin(config, found, trainer.state())) messages.push_back(text);
    if (!parts.model) keep_model_file(config, directory);
  }
  directory.path = broadcast_text(communicator, directory.path.string(), 0);
  make_folder(directory.path);  // on other hosts
  if (communicator.rank() > 0 && !config.resume.empty()) {
    drop_resources(directory.resources(), trainer.state().wall_seconds, communicator.rank());
  }
  return found;
}

}  // namespace

TrainResult train_rank(const TrainConfig& config, const TrainParts& parts,
                       const TrainContext& context, const Group& group) {
  const auto [cores, communicator] = meet(config, context, group);
  std::vector<std::string> warnings;
  auto checkpoint =
      share_checkpoint(find_resume(config, context.world.restarted,
                                   [&](const std::string& text) { warnings.push_back(text); }),
                       *communicator);
  const auto asked = checkpoint ? std::nullopt : asked_weights(config);
  const FlatParameters::Allocate shared = [&ranks = *communicator](std::int64_t elements) {
    return ranks.allocate(elements);
  };
  const StrategyTraits traits = strategies().choose(config.strategy).traits;
  Workload workload(config, cores.threads, parts, shared,
                    traits.gathers_values ? shared : FlatParameters::Allocate(),
                    traits.early_gradients && communicator->size() > 1);
  const std::string weights = asked ? take_weights(*asked, config, workload) : "";
  Trainer trainer(config, workload, *communicator, batch_size_of(checkpoint));
  apply(GpuSettings{.tf32 = config.tf32,
                    .deterministic = config.deterministic,
                    .trials = steps_repay_trials(trainer.total_steps())});
  if (checkpoint) {
    trainer.resume(*checkpoint);
    *checkpoint = {.step = checkpoint->step};  // gives the tensors' memory back
  }
  if (config.profile) {
    const std::int64_t done = trainer.state().step;
    if (const auto told = check_profile(*config.profile, done, trainer.total_steps())) {
      warnings.push_back(*told);
    }
  }
  const bool records = !in_process(context, group) || group.rank == 0;  // a process does once
  const Resolved found = resolve(config, cores, workload, trainer, records);
  agree_on_config(config, found, *communicator);

  // Only now, so that wrong usage leaves nothing behind.
  const Resolved resolved =
      with_run_directory(config, found, checkpoint.has_value(), parts, trainer, warnings);
  // Also where the run begins again, for want of a checkpoint, files may hold earlier reports.
  const auto resume_step =
      config.resume.empty() ? std::nullopt : std::optional(trainer.state().step);
  Reporter reporter(config, resolved, context.output, communicator->rank(), resume_step,
                    trainer.state().wall_seconds + context.clock.seconds(),
                    gpu_addresses(workload));

  TrainResult result{
      .status = RunStatus::kCompleted, .directory = resolved.directory.path, .summary = {}};
  const auto summarise = [&](const std::string& status, const std::string& error) {
    result.summary = make_summary({.status = status,
                                   .error = error,
                                   .command = context.command,
                                   .config = config,
                                   .resolved = resolved,
                                   .workload = workload,
                                   .communicator = *communicator,
                                   .trainer = trainer});
    if (communicator->rank() != 0) return;
    write_summary(resolved.directory.summary(), result.summary);
  };
  try {
    for (const auto& warning : warnings) reporter.message(warning);
    announce(reporter, config, resolved, workload, trainer, weights, cores.text);
    reporter.graph(workload.model);
    result.status =
        TrainingLoop(config, resolved, trainer, reporter, context.clock).run(context.stop);
    if (config.keep_best) {
      if (const auto told = use_best_weights(resolved.directory, workload, trainer)) {
        reporter.message(*told);
      }
    }
    if (communicator->rank() == 0) {
      const auto problem = keep_predictions(resolved.directory, workload, trainer.state());
      if (problem) reporter.message(*problem);
    }
    reporter.finish();
    if (communicator->rank() == 0) write_final_weights(resolved.directory, workload);
    const bool unsaved = result.status == RunStatus::kUnsaved;
    summarise(
        result.status == RunStatus::kCompleted ? run_status::kCompleted : run_status::kStopped,
        unsaved ? "the state of the last step was not saved" : "");
  } catch (const std::exception& error) {
    reporter.finish();
    summarise(run_status::kFailed, error.what());
    throw;
  }
  return result;
}

}  // namespace yoke
