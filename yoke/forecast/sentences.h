// yoke/forecast/sentences.h: what predictions say, in words.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "yoke/forecast/scaling.h"

namespace yoke::forecast {

/// Where scaling stops and why, or that it does not from `first` up to `most` hosts; empty where
/// these are too few to double once.
std::string say_end(const std::optional<ScalingEnd>& end, std::int64_t first, std::int64_t most);

/// Why there is no prediction for `hosts` and more, which have `batch_size` images in a step of
/// `train_images`.
std::string say_cut(std::int64_t hosts, std::int64_t batch_size, std::int64_t train_images);

/// Which of `choices`, the fastest first, is best; apart from those that take other steps. Empty
/// where all do.
std::string say_best(const std::vector<StrategyChoice>& choices);

}  // namespace yoke::forecast
