// yoke/predict/sentences.h: what predictions say, in words.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "yoke/predict/scaling.h"

namespace yoke::predict {

/// Where scaling stops and why, or that it does not up to `most` hosts.
std::string say_end(const std::optional<ScalingEnd>& end, std::int64_t most);

/// Which of `choices`, the fastest first, is best; apart from those that take other steps.
std::string say_best(const std::vector<StrategyChoice>& choices);

}  // namespace yoke::predict
