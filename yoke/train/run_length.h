// yoke/train/run_length.h: how many images a step has, and how many steps a run.
#pragma once
#include <cstdint>

#include "yoke/train/config/config.h"

namespace yoke {

/// Images of a step over all `ranks` that compute gradients.
std::int64_t global_batch_size(const TrainConfig& config, int ranks);

/// Steps of a run that ends neither early nor by its accuracy.
std::int64_t count_steps(const TrainConfig& config, std::int64_t steps_per_epoch);

}  // namespace yoke
