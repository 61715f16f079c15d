// yoke/train/train.h: a whole training run.
#pragma once
#include <atomic>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "yoke/comm/rendezvous/world.h"
#include "yoke/core/system/clock.h"
#include "yoke/train/config/config.h"
#include "yoke/train/reporter.h"
#include "yoke/train/training_loop.h"
#include "yoke/train/workload.h"

namespace yoke {

/// What surrounds a run.
struct TrainContext {
  Output output;
  World world = {};  ///< The ranks that train together; by itself this process alone.
  const std::atomic<bool>* stop = nullptr;  ///< When it becomes true, the run saves and stops.
  /// Called once all ranks are there; `stop` is not looked at while they are waited for.
  std::function<void()> joined = {};
  std::string command;  ///< For summary.json.
  Stopwatch clock;      ///< Since the start of the program.
};

/// What a run came to.
struct TrainResult {
  RunStatus status = RunStatus::kCompleted;
  std::filesystem::path directory;
  nlohmann::ordered_json summary;  ///< See docs/formats.md.
};

/// Trains as the flags `given` say, together with the other ranks of `context.world`, which call it
/// alike, in a run directory that holds everything about it: rank 0 writes it. `parts` replaces the
/// model or the data by the caller's own.
/// @throws UsageError, before anything is written, on settings that are not allowed; Error when the
/// run fails, whose summary then says so.
TrainResult train(const TrainConfig& given, const TrainParts& parts = {},
                  const TrainContext& context = {});

}  // namespace yoke
