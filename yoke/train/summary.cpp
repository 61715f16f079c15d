#include "yoke/train/summary.h"

#include "yoke/report/hardware.h"
#include "yoke/report/process_usage.h"

namespace yoke {
namespace {

using Json = nlohmann::ordered_json;

template <typename Value>
Json optional_json(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

void add_workload(Json& json, const Workload& workload) {
  json["device"] = c10::DeviceTypeName(workload.device.type(), /*lower_case=*/true);
  json["parameters"] = workload.parameters.size();
  json["classes"] = workload.data.train->info().class_names;
  json["train_images"] = workload.data.train->size();
  json["val_images"] = workload.data.validation->size();
  if (workload.data.damage) json["damaged_images"] = workload.data.damage->count();
}

void add_result(Json& json, const TrainConfig& config, const Trainer& trainer) {
  const RunState& state = trainer.state();
  json["batch_size"] = trainer.batch_size();
  json["steps_per_epoch"] = trainer.steps_per_epoch();
  json["epochs"] = static_cast<double>(state.step) / static_cast<double>(trainer.steps_per_epoch());
  json["steps"] = state.step;
  json["images_seen"] = state.images_seen;
  json["train_seconds"] = state.train_seconds;
  json["data_wait_seconds"] = state.data_wait_seconds;
  json["checkpoint_seconds"] = state.checkpoint_seconds;
  json["evaluate_seconds"] = state.evaluate_seconds;
  json["wall_seconds"] = state.wall_seconds;
  json["images_per_second"] =
      state.train_seconds > 0 ? static_cast<double>(state.images_seen) / state.train_seconds : 0.0;
  json["final_train_loss"] = state.final_train_loss;
  const auto& validation = state.validation;
  json["val_loss"] = validation ? Json(validation->loss) : Json();
  json["val_top1"] = validation ? Json(validation->top1) : Json();
  json["val_top5"] = validation ? Json(validation->top5) : Json();
  json["best_val_top1"] = validation ? Json(state.best_val_top1) : Json();
  json["per_class_accuracy"] = state.per_class_accuracy;
  if (!state.confusion.empty()) json["confusion"] = state.confusion;
  json["communication_bytes"] = trainer.bytes();
  for (const auto& [name, value] : trainer.counters()) json["counters"][name] = value;
  json["target_accuracy"] = optional_json(config.target_accuracy);
  json["target_reached"] = trainer.target_reached();
  json["time_to_target_seconds"] = optional_json(state.time_to_target_seconds);
}

}  // namespace

nlohmann::ordered_json make_summary(const SummaryInput& input) {
  const TrainConfig& config = input.config;
  Json json = {{"status", input.status}};
  if (!input.error.empty()) json["error"] = input.error;
  json["model"] = config.model;
  json["data"] = config.data;
  json["engine"] = word_of(input.workload.engine.kind);
  json["precision"] = word_of(config.precision);
  json["strategy"] = config.strategy;
  json["comm"] = input.communicator.name();
  json["communicator"] = input.communicator.describe();
  json["world_size"] = input.communicator.size();
  json["replicas"] = input.workload.engine.replicas;
  json["optimizer"] = config.optimizer;
  json["schedule"] = config.schedule;
  json["seed"] = config.seed;
  json["threads"] = config.threads;
  add_workload(json, input.workload);
  add_result(json, config, input.trainer);
  const ProcessUsage usage = process_usage();
  json["peak_rss_bytes"] = usage.peak_rss_bytes;
  json["cpu_seconds"] = input.trainer.state().cpu_seconds + usage.cpu_seconds;
  json["versions"] = versions();
  json["hardware"] = nlohmann::json(hardware());
  json["command"] = input.command;
  return json;
}

}  // namespace yoke
