// yoke/core/sum_over_ranks.h: how code that knows no communicator adds up over ranks.
#pragma once
#include <torch/types.h>

#include <functional>

namespace yoke {

/// Replaces a contiguous tensor by its sum over ranks, which call it alike.
using SumOverRanks = std::function<void(const torch::Tensor&)>;

}  // namespace yoke
