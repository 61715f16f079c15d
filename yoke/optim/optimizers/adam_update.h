// yoke/optim/optimizers/adam_update.h: the arithmetic of one step of Adam and of AdamW.
#pragma once
#include <torch/types.h>

#include <cstdint>
#include <span>

#include "yoke/optim/ranges.h"

namespace yoke {

/// The numbers of one step.
struct AdamStep {
  std::int64_t number = 1;  ///< 1 for the first step; corrects the bias of the averages.
  double lr = 0;
  double beta1 = 0.9;    ///< Decay of the gradients' average, in [0, 1).
  double beta2 = 0.999;  ///< Decay of the squared gradients' average, in [0, 1).
  double epsilon = 1e-8;
  double l2 = 0;      ///< Adam's weight decay, added to the gradient: l2 * value.
  double shrink = 1;  ///< AdamW's weight decay: values are first multiplied by this.
  std::span<const ElementRange> undecayed = {};  ///< Where there is neither; rising.
};

/// Replaces `values`, `mean` and `square` (the two averages), all fp32 [P] as `gradients` is, by
/// what they are one step on. One pass over memory on the CPU.
void adam_update(torch::Tensor values, const torch::Tensor& gradients, torch::Tensor mean,
                 torch::Tensor square, const AdamStep& step);

/// The same in ATen's operators, on any device.
void adam_update_plain(torch::Tensor values, const torch::Tensor& gradients, torch::Tensor mean,
                       torch::Tensor square, const AdamStep& step);

}  // namespace yoke
