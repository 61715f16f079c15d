#include "yoke/models/stochastic_depth.h"

namespace yoke {

torch::Tensor stochastic_depth(const torch::Tensor& x, double p, bool training) {
  if (!training || p == 0) return x;
  // An image as one channel, which is dropped as a whole.
  return torch::feature_dropout(x.unsqueeze(1), p, training).squeeze(1);
}

}  // namespace yoke
