// yoke/models/stochastic_depth.h: branches of residual networks that are left out at random.
#pragma once
#include <torch/types.h>

namespace yoke {

/// The branch `x` [N, ...] of a residual block (Huang et al. 2016): in training each image's part
/// is zero with probability `p` in [0, 1), else divided by 1 - p; in evaluation it is `x`.
torch::Tensor stochastic_depth(const torch::Tensor& x, double p, bool training);

}  // namespace yoke
