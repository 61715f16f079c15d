// yoke/models/stochastic_depth.h: branches of blocks that are left out at random.
#pragma once
#include <torch/types.h>

namespace yoke {

/// In training drops the whole of `x` [N, ...] of an image with probability `p`, in [0, 1), and
/// divides what stays by 1 - p; else gives `x` (Huang et al. 2016, "Deep networks with stochastic
/// depth").
inline torch::Tensor stochastic_depth(const torch::Tensor& x, double p, bool training) {
  if (!training || p <= 0) return x;
  return torch::feature_dropout(x.unsqueeze(1), p, true).squeeze(1);
}

}  // namespace yoke
