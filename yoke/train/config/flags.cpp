#include "yoke/train/config/flags.h"

#include <fmt/format.h>

#include <limits>

#include "yoke/core/error.h"
#include "yoke/core/nearest_name.h"
#include "yoke/run/flag_names.h"
#include "yoke/train/config/flag_kinds.h"

namespace yoke {
namespace {

/// What is given for `flag`, else what was `resolved`, unless that is null.
std::optional<std::string> value_of(const TrainFlag& flag, const TrainConfig& config,
                                    const Resolved* resolved) {
  auto given = flag.get(config);
  if (given || resolved == nullptr || !flag.resolved) return given;
  return flag.resolved(*resolved);
}

std::vector<RecipeEntry> entries_of(const TrainConfig& config, const Resolved* resolved,
                                    unsigned without) {
  std::vector<RecipeEntry> entries;
  for (const auto& flag : train_flags()) {
    if ((flag.roles & without) != 0) continue;
    if (const auto value = value_of(flag, config, resolved)) {
      entries.push_back({.key = flag.name, .value = *value, .quoted = flag.quoted, .line = 0});
    }
  }
  return entries;
}

}  // namespace

const std::vector<TrainFlag>& train_flags() {
  using namespace flag_kinds;
  using C = TrainConfig;
  static const std::string epochs_help = fmt::format(
      "Passes over the training images ({} unless --max-steps is given)", kDefaultEpochs);
  static const std::string batch_help =
      fmt::format("Images per optimizer step over all ranks and replicas ({}; of photos fewer)",
                  kDefaultBatchSize);
  constexpr const char* kThreadsAllowed = "a whole number from 0 to 1024";
  constexpr const char* kWhat = "What to train";
  constexpr const char* kLength = "How long";
  constexpr const char* kStep = "The step";
  constexpr const char* kSave = "Checkpoints";
  constexpr const char* kRun = "The run";
  static const std::vector<TrainFlag> flags = {
      with(kIdentity | kStepCost,
           text("model", &C::model, "NAME[:k=v,...]", "Model; see 'yoke list models'", kWhat)),
      with(kIdentity | kStepCost,
           text("data", &C::data, "NAME[:k=v,...]", "Data set; see 'yoke list datasets'", kWhat)),
      with(kHost | kStepCost,
           text(flag::kDataDir, &C::data_dir, "DIR", "Where data sets are", kWhat)),
      text("weights", &C::weights, "FILE[:skip=NAME]",
           "Begin with these weights, safetensors or .pt; a module NAME, as fc, keeps its own",
           kWhat),
      with(kIdentity | kStepCost,
           text("freeze", &C::freeze, "NAME[+NAME]",
                "Modules that do not learn, as conv1+layer1, all-but=fc, or backbone: all but the "
                "last layer",
                kWhat)),
      count("epochs", &C::epochs, 1, epochs_help, kLength),
      count("max-steps", &C::max_steps, 1, "Optimizer steps at most", kLength),
      number("target-accuracy", &C::target_accuracy, 1e-9, 1.0, "a fraction in (0, 1]",
             "Stop when this fraction of the validation images is right", kLength),
      count("patience", &C::patience, 1,
            "Stop after so many evaluations in a row without a better accuracy", kLength),
      with(kIdentity | kStepCost | kMeasured,
           count(flag::kBatchSize, &C::batch_size, 1, batch_help, kStep), {"-b"}),
      with(kIdentity, count(flag::kBatchSizePerRank, &C::batch_size_per_rank, 1,
                            "Instead of --batch-size: images per step and rank", kStep)),
      with(kIdentity | kStepCost, text("optimizer", &C::optimizer, "NAME[:k=v,...]",
                                       "Optimizer; see 'yoke list optimizers'", kStep)),
      or_resolved(&Resolved::lr, number("lr", &C::lr, 0.0, 1e9, "a number from 0 to 1e9",
                                        "Base learning rate (the optimizer's own default)", kStep)),
      with(kIdentity,
           text("lr-scale", &C::lr_scale, "NAME[+NAME]=X[,...]",
                "Modules whose learning rate is X times that of others, as backbone=0.1", kStep)),
      text("schedule", &C::schedule, "NAME[:k=v,...]",
           "Learning-rate schedule; see 'yoke list schedules'", kStep),
      with(kStepCost,
           number("label-smoothing", &C::label_smoothing, 0.0, 1.0, "a fraction in [0, 1]",
                  "Share of the target spread evenly over the classes", kStep)),
      text(flag::kStrategy, &C::strategy, "NAME[:k=v,...]",
           "How ranks train together; see 'yoke list strategies'", kStep),
      text(flag::kComm, &C::comm, "auto/NAME", "Between ranks; see 'yoke list communicators'",
           kStep),
      with(kHost, seconds(flag::kJoinTimeout, &C::join_timeout,
                          "Seconds to wait for all ranks at the start", kStep)),
      with(kHost,
           seconds(flag::kCommTimeout, &C::comm_timeout,
                   "Seconds that an operation waits for a rank that hangs, before the run fails",
                   kStep)),
      with(kHost | kStepCost,
           number(flag::kReplicas, &C::replicas, 0, kMostThreads, kThreadsAllowed,
                  "Copies of the step inside the process, a thread each, and a GPU each where it "
                  "runs on "
                  "GPUs; 0 is one per thread (compiled) or one (eager)",
                  kStep)),
      with(
          kStepCost,
          count(
              flag::kMicroBatch, &C::micro_batch, 0,
              "Images a replica computes at once, where no batch norm needs all of them; 0 is what "
              "fits its core's cache",
              kStep)),
      with(kStepCost, choice(flag::kEngine, &C::engine, "What computes the step", kStep)),
      with(kStepCost, choice("precision", &C::precision, "Number format of the step", kStep)),
      with(kStepCost, choice(flag::kDevice, &C::device, "Where the step is computed", kStep)),
      choice("tf32", &C::tf32,
             "Which fp32 products GPUs compute in TF32: convolutions (auto, as PyTorch), matrix "
             "products too, or none",
             kStep),
      boolean(flag::kCudaGraph, &C::cuda_graph, "on/off",
              "On a GPU, record forward and backward once and replay them (off)", kStep),
      interval("checkpoint-every", &C::checkpoint_every, "Save all state so often", kSave),
      count(flag::kKeep, &C::keep, 1, "Newest checkpoints kept", kSave),
      boolean("keep-best", &C::keep_best, "",
              "Also keep the checkpoint of the best validation accuracy, whose weights are then "
              "the run's",
              kSave),
      with(kHost | kPlace,
           text(flag::kResume, &C::resume, "auto/PATH",
                "Go on from the newest good checkpoint in --out (auto), or from one of a run or a "
                "checkpoint folder",
                kSave)),
      with(kHost | kPlace, text(flag::kOut, &C::out, "DIR",
                                "Run directory (runs/<date-time>-<model>-<data>)", kRun)),
      with(
          kIdentity | kStepCost | kMeasured,
          number<std::uint64_t>(flag::kSeed, &C::seed, 0, std::numeric_limits<std::uint64_t>::max(),
                                "a whole number of at least 0",
                                "Decides weights, order, augmentation and dropout", kRun)),
      with(kStepCost,
           boolean("deterministic", &C::deterministic, "",
                   "On GPUs, only algorithms whose results never vary; processors have no others",
                   kRun)),
      with(kHost | kStepCost | kMeasured,
           number(flag::kThreads, &C::threads, 0, kMostThreads, kThreadsAllowed,
                  "Threads of the step; 0 is OMP_NUM_THREADS, or one per core allowed", kRun)),
      with(kHost | kStepCost,
           number(flag::kLoaderThreads, &C::loader_threads, 0, kMostThreads, kThreadsAllowed,
                  "Threads that make batches; 0 chooses", kRun),
           {"-j", "--workers"}),
      interval("eval-every", &C::eval_every,
               "Measure the validation images so often, and at the end", kRun),
      choice("tta", &C::tta,
             "Test-time augmentation: validation scores are means over the image and its mirror "
             "image (flip), and both moved by a pixel (flip-shift)",
             kRun),
      with(kHost,
           choice(flag::kProgress, &C::progress, "Bars on a terminal, lines elsewhere", kRun)),
      count(flag::kPrintEvery, &C::print_every, 1, "Steps between two reports", kRun),
      boolean(flag::kTensorboard, &C::tensorboard, "on/off", "Write TensorBoard events", kRun),
      boolean(flag::kResources, &C::resources, "on/off",
              "Record processor, memory, disk and network", kRun),
  };
  return flags;
}

void apply_recipe(TrainConfig& config, const std::vector<RecipeEntry>& entries,
                  const std::string& where) {
  for (const auto& entry : entries) {
    const TrainFlag* found = nullptr;
    std::vector<std::string> names;
    for (const auto& flag : train_flags()) {
      names.push_back(flag.name);
      if (flag.name == entry.key) found = &flag;
    }
    if (found == nullptr) {
      throw UsageError(fmt::format("{}:{}: unknown key '{}'; {}", where, entry.line, entry.key,
                                   suggest(entry.key, names)));
    }
    try {
      found->set(config, entry.value);
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("{}:{}: {}", where, entry.line, error.what()));
    }
  }
}

std::vector<std::string> flags_that_are(unsigned roles, unsigned without) {
  std::vector<std::string> names;
  for (const auto& flag : train_flags()) {
    if ((flag.roles & roles) == roles && (flag.roles & without) == 0) names.push_back(flag.name);
  }
  return names;
}

std::vector<RecipeEntry> to_recipe(const TrainConfig& config, unsigned without) {
  return entries_of(config, nullptr, without);
}

std::vector<RecipeEntry> to_recipe(const TrainConfig& config, const Resolved& resolved,
                                   unsigned without) {
  return entries_of(config, &resolved, without);
}

std::vector<RecipeEntry> run_recipe(const TrainConfig& config, const Resolved& resolved) {
  return to_recipe(config, resolved, kPlace);
}

void validate(const TrainConfig& config) {
  if (config.batch_size && config.batch_size_per_rank) {
    throw UsageError(
        fmt::format("both --batch-size {} and --batch-size-per-rank {} are given; give "
                    "one: the first counts images over all ranks, the second per rank",
                    *config.batch_size, *config.batch_size_per_rank));
  }
}

}  // namespace yoke
