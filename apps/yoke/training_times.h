// apps/yoke/training_times.h: measures the steps of a training as each rank of a host takes them by
// itself.
#pragma once
#include <cstdint>
#include <vector>

#include "yoke/comm/communicator.h"
#include "yoke/forecast/calibration.h"
#include "yoke/train/config/config.h"

namespace yoke {

/// Numbers of images at which to measure a rank that takes at most `most` in a step, and `least`
/// where it takes fewest: a half, a quarter, down to a 64th or `least`, the smaller of them, but no
/// fewer than 2, with which batch norm still has a variance. Ascending.
std::vector<std::int64_t> images_to_measure(std::int64_t most, std::int64_t least);

/// Measures steps with each number of `images` (those above the data set's are left out) for about
/// `seconds`, beside the other ranks of `ranks`, which call it alike; then the loader, checkpoints
/// (written below the folder of temporary files) and when each parameter's gradient is ready. The
/// result has one layout and no communicators. `config.threads` is this rank's.
forecast::Calibration measure_training(const TrainConfig& config,
                                       const std::vector<std::int64_t>& images, double seconds,
                                       Communicator& ranks);

}  // namespace yoke
