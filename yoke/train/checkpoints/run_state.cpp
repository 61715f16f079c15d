#include "yoke/train/checkpoints/run_state.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "yoke/run/summary.h"

namespace yoke {
namespace {

constexpr const char* kWithoutBest = "evaluations_without_best";
constexpr const char* kSightings = "sightings";

nlohmann::json validation_json(const Metrics& metrics) {
  return {{"step", metrics.step}, {"epoch", metrics.epoch},
          {"loss", metrics.loss}, {"top1", metrics.top1},
          {"top5", metrics.top5}, {Metrics::kRankTop1, metrics.rank_top1}};
}

Metrics validation_from(const nlohmann::json& json) {
  Metrics metrics;
  metrics.split = "val";
  json.at("step").get_to(metrics.step);
  json.at("epoch").get_to(metrics.epoch);
  json.at("loss").get_to(metrics.loss);
  json.at("top1").get_to(metrics.top1);
  json.at("top5").get_to(metrics.top5);
  if (json.contains(Metrics::kRankTop1)) json.at(Metrics::kRankTop1).get_to(metrics.rank_top1);
  return metrics;
}

nlohmann::json sightings_json(const std::vector<Sighting>& sightings) {
  auto json = nlohmann::json::array();
  for (const auto& sighting : sightings) {
    json.push_back({{"image", sighting.image},
                    {"label", sighting.label},
                    {"predicted", sighting.predicted},
                    {"probability", sighting.probability}});
  }
  return json;
}

std::vector<Sighting> sightings_from(const nlohmann::json& json) {
  std::vector<Sighting> sightings;
  for (const auto& entry : json) {
    sightings.push_back({.image = entry.at("image").get<std::int64_t>(),
                         .label = entry.at("label").get<std::int64_t>(),
                         .predicted = entry.at("predicted").get<std::int64_t>(),
                         .probability = entry.at("probability").get<double>()});
  }
  return sightings;
}

/// Nothing where `json` lacks it.
std::optional<double> number_from(const nlohmann::json& json, const char* name) {
  const auto found = json.find(name);
  if (found == json.end() || found->is_null()) return std::nullopt;
  return found->get<double>();
}

}  // namespace

nlohmann::json RunState::to_json() {
  nlohmann::json json = {{"step", step},
                         {"images_seen", images_seen},
                         {"window", window.to_json()},
                         {key::kFinalTrainLoss, final_train_loss},
                         {"lr", lr},
                         {key::kWallSeconds, wall_seconds},
                         {key::kTrainSeconds, train_seconds},
                         {key::kDataWaitSeconds, data_wait_seconds},
                         {key::kEvaluateSeconds, evaluate_seconds},
                         {key::kCheckpointSeconds, checkpoint_seconds},
                         {key::kCpuSeconds, cpu_seconds},
                         {key::kPerClassAccuracy, per_class_accuracy},
                         {key::kConfusion, confusion},
                         {key::kConfidenceBins, confidence_bins_json(confidence_bins)},
                         {key::kBestValTop1, best_val_top1},
                         {key::kBestStep, best_step},
                         {kWithoutBest, evaluations_without_best},
                         {kSightings, sightings_json(sightings)}};
  if (validation) json["validation"] = validation_json(*validation);
  if (balanced_accuracy) json[key::kValBalancedAccuracy] = *balanced_accuracy;
  if (macro_f1) json[key::kValMacroF1] = *macro_f1;
  if (time_to_target_seconds) json[key::kTimeToTargetSeconds] = *time_to_target_seconds;
  return json;
}

RunState RunState::from_json(const nlohmann::json& json) {
  RunState state;
  json.at("step").get_to(state.step);
  json.at("images_seen").get_to(state.images_seen);
  state.window = Meter::from_json(json.at("window"));
  json.at(key::kFinalTrainLoss).get_to(state.final_train_loss);
  json.at("lr").get_to(state.lr);
  json.at(key::kWallSeconds).get_to(state.wall_seconds);
  json.at(key::kTrainSeconds).get_to(state.train_seconds);
  json.at(key::kDataWaitSeconds).get_to(state.data_wait_seconds);
  json.at(key::kEvaluateSeconds).get_to(state.evaluate_seconds);
  json.at(key::kCheckpointSeconds).get_to(state.checkpoint_seconds);
  json.at(key::kCpuSeconds).get_to(state.cpu_seconds);
  json.at(key::kBestValTop1).get_to(state.best_val_top1);
  if (json.contains(key::kBestStep)) json.at(key::kBestStep).get_to(state.best_step);
  if (json.contains(kWithoutBest)) json.at(kWithoutBest).get_to(state.evaluations_without_best);
  for (const auto& accuracy : json.at(key::kPerClassAccuracy)) {  // a class without images is null
    state.per_class_accuracy.push_back(accuracy.is_null() ? std::numeric_limits<double>::quiet_NaN()
                                                          : accuracy.get<double>());
  }
  if (json.contains(key::kConfusion)) json.at(key::kConfusion).get_to(state.confusion);
  if (json.contains(kSightings)) state.sightings = sightings_from(json.at(kSightings));
  if (json.contains("validation")) state.validation = validation_from(json.at("validation"));
  if (json.contains(key::kConfidenceBins)) {
    state.confidence_bins = confidence_bins_from(json.at(key::kConfidenceBins));
  }
  state.balanced_accuracy = number_from(json, key::kValBalancedAccuracy);
  state.macro_f1 = number_from(json, key::kValMacroF1);
  state.time_to_target_seconds = number_from(json, key::kTimeToTargetSeconds);
  return state;
}

}  // namespace yoke
