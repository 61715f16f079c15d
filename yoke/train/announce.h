// yoke/train/announce.h: what a run says of itself before its first step.
#pragma once
#include <string>

#include "yoke/train/config/config.h"
#include "yoke/train/reporter.h"
#include "yoke/train/resolved.h"
#include "yoke/train/trainer.h"
#include "yoke/train/workload.h"

namespace yoke {

/// Tells of model, data, step, machine and ranks, a line each. `weights` says what the run began
/// with, if not from the seed; `threads` which cores it has.
void announce(Reporter& reporter, const TrainConfig& config, const Resolved& resolved,
              Workload& workload, Trainer& trainer, const std::string& weights,
              const std::string& threads);

}  // namespace yoke
