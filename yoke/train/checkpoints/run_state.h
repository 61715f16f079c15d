// yoke/train/checkpoints/run_state.h: how far a run is; a checkpoint holds all of it.
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include "yoke/run/confidence_bins.h"
#include "yoke/run/metrics.h"
#include "yoke/train/evaluation/sightings.h"
#include "yoke/train/meter.h"

namespace yoke {

/// What changes from step to step beside parameters and the optimizer's state.
struct RunState {
  std::int64_t step = 0;  ///< Steps done.
  std::int64_t images_seen = 0;
  Meter window;  ///< Since the last report.
  double final_train_loss = 0;
  double lr = 0;  ///< Of the latest step.

  double wall_seconds = 0;  ///< As of the latest checkpoint or the end.
  double train_seconds = 0;
  double data_wait_seconds = 0;
  double evaluate_seconds = 0;
  double checkpoint_seconds = 0;
  double cpu_seconds = 0;  ///< Of earlier processes of a resumed run.

  std::optional<Metrics> validation;                  ///< The latest.
  std::optional<double> balanced_accuracy, macro_f1;  ///< Of that.
  std::vector<double> per_class_accuracy;
  std::vector<std::vector<std::int64_t>> confusion;  ///< Rows are true; empty for many classes.
  std::vector<ConfidenceBin> confidence_bins;        ///< Of the latest validation.
  std::vector<Sighting> sightings;                   ///< Of the latest validation.
  double best_val_top1 = 0;
  std::int64_t best_step = 0;                 ///< Of that evaluation; 0 before the first.
  std::int64_t evaluations_without_best = 0;  ///< In a row, the latest among them.
  std::optional<double> time_to_target_seconds;

  nlohmann::json to_json();
  static RunState from_json(const nlohmann::json& json);
};

}  // namespace yoke
