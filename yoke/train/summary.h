// yoke/train/summary.h: summary.json, what a run came to.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "yoke/train/checkpoints/run_state.h"
#include "yoke/train/config/config.h"
#include "yoke/train/resolved.h"
#include "yoke/train/trainer.h"

namespace yoke {

/// What a summary is made from.
struct SummaryInput {
  std::string status;  ///< `completed`, `failed` or `stopped`.
  std::string error;   ///< Of a failed run.
  std::string command;
  const TrainConfig& config;
  const Resolved& resolved;
  const Workload& workload;
  const Communicator& communicator;
  const Trainer& trainer;
};

/// The fields that docs/formats.md lists, in its order.
nlohmann::ordered_json make_summary(const SummaryInput& input);

}  // namespace yoke
