// yoke/train/run_length.h: how many images a step has, and how many steps a run.
#pragma once
#include <cstdint>

#include "yoke/core/epochs.h"
#include "yoke/train/config/config.h"

namespace yoke {

/// Images of a step over all `ranks` that compute gradients.
SizesByEpoch global_batch_sizes(const TrainConfig& config, int ranks);

/// Steps of a run that ends neither early nor by its accuracy.
std::int64_t count_steps(const TrainConfig& config, const Epochs& epochs);

}  // namespace yoke
