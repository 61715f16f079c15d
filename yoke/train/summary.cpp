#include "yoke/train/summary.h"

#include <algorithm>

#include "yoke/report/machine/hardware.h"
#include "yoke/report/machine/process_usage.h"
#include "yoke/run/summary.h"
#include "yoke/train/each_rank.h"

namespace yoke {
namespace {

using Json = nlohmann::ordered_json;

template <typename Value>
Json optional_json(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

void add_workload(Json& json, const Workload& workload) {
  json[key::kDevice] = c10::DeviceTypeName(workload.device.type(), /*lower_case=*/true);
  json["parameters"] = workload.parameters.size();
  json[key::kClasses] = workload.data.train->info().class_names;
  json["train_images"] = workload.data.train->size();
  json[key::kValImages] = workload.data.validation->size();
  if (workload.data.damage) json[key::kDamagedImages] = workload.data.damage->count();
}

void add_result(Json& json, const TrainConfig& config, const Trainer& trainer) {
  const RunState& state = trainer.state();
  json[key::kBatchSize] = trainer.batch_size();
  json["steps_per_epoch"] =
      trainer.epochs().steps(trainer.epochs().at(std::max<std::int64_t>(0, state.step - 1)));
  json[key::kEpochs] = trainer.epoch();
  json[key::kSteps] = state.step;
  json["images_seen"] = state.images_seen;
  json[key::kTrainSeconds] = state.train_seconds;
  json[key::kDataWaitSeconds] = state.data_wait_seconds;
  json[key::kCheckpointSeconds] = state.checkpoint_seconds;
  json[key::kEvaluateSeconds] = state.evaluate_seconds;
  json[key::kWallSeconds] = state.wall_seconds;
  json[key::kImagesPerSecond] =
      state.train_seconds > 0 ? static_cast<double>(state.images_seen) / state.train_seconds : 0.0;
  json[key::kFinalTrainLoss] = state.final_train_loss;
  const auto& validation = state.validation;
  json[key::kValLoss] = validation ? Json(validation->loss) : Json();
  json[key::kValTop1] = validation ? Json(validation->top1) : Json();
  json[key::kValTop5] = validation ? Json(validation->top5) : Json();
  const auto& bins = state.confidence_bins;
  json[key::kValBalancedAccuracy] = optional_json(state.balanced_accuracy);
  json[key::kValMacroF1] = optional_json(state.macro_f1);
  json[key::kValEce] = bins.empty() ? Json() : Json(expected_calibration_error(bins));
  json[key::kBestValTop1] = validation ? Json(state.best_val_top1) : Json();
  json[key::kBestStep] = validation ? Json(state.best_step) : Json();
  if (validation && !validation->rank_top1.empty()) {
    json[key::kRankValTop1] = each_rank_json(validation->rank_top1);
  }
  json[key::kPerClassAccuracy] = state.per_class_accuracy;
  if (!state.confusion.empty()) json[key::kConfusion] = state.confusion;
  if (!bins.empty()) json[key::kConfidenceBins] = confidence_bins_json(bins);
  json[key::kCommunicationBytes] = trainer.bytes();
  for (const auto& [name, value] : trainer.counters()) json["counters"][name] = value;
  json[key::kTargetAccuracy] = optional_json(config.target_accuracy);
  json[key::kTargetReached] = trainer.target_reached();
  json[key::kTimeToTargetSeconds] = optional_json(state.time_to_target_seconds);
}

}  // namespace

nlohmann::ordered_json make_summary(const SummaryInput& input) {
  const TrainConfig& config = input.config;
  Json json = {{"status", input.status}};
  if (!input.error.empty()) json[key::kError] = input.error;
  json[key::kModel] = config.model;
  json[key::kData] = config.data;
  if (!config.weights.empty()) json["weights"] = config.weights;
  json[key::kEngine] = word_of(input.workload.engine.kind);
  json["precision"] = word_of(config.precision);
  json[key::kStrategy] = config.strategy;
  json["comm"] = input.communicator.name();
  json[key::kCommunicator] = input.communicator.describe();
  json[key::kWorldSize] = input.communicator.size();
  json[key::kReplicas] = input.resolved.replicas;
  json["optimizer"] = config.optimizer;
  json["schedule"] = config.schedule;
  json[key::kSeed] = config.seed;
  json[key::kThreads] = input.resolved.threads;
  add_workload(json, input.workload);
  add_result(json, config, input.trainer);
  const ProcessUsage usage = process_usage();
  json[key::kPeakRssBytes] = usage.peak_rss_bytes;
  json[key::kCpuSeconds] = input.trainer.state().cpu_seconds + usage.cpu_seconds;
  json[key::kVersions] = versions();
  json[key::kHardware] = nlohmann::json(hardware());
  json[key::kCommand] = input.command;
  return json;
}

}  // namespace yoke
