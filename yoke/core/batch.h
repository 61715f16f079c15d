// yoke/core/batch.h: what a step is computed from.
#pragma once
#include <torch/types.h>

#include <cstdint>

namespace yoke {

/// Images ready for a model, with their classes.
struct Batch {
  torch::Tensor input;   ///< fp32 [N, C, H, W], normalised.
  torch::Tensor target;  ///< int64 [N], in [0, classes).

  std::int64_t size() const { return target.size(0); }
};

}  // namespace yoke
