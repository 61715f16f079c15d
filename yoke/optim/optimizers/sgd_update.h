// yoke/optim/optimizers/sgd_update.h: the arithmetic of one step of SGD.
#pragma once
#include <torch/types.h>

#include <span>

#include "yoke/optim/ranges.h"

namespace yoke {

/// The numbers of one step.
struct SgdStep {
  double lr = 0;
  double momentum = 0;      ///< Decay of the velocity; unused without a velocity.
  double intake = 1;        ///< Share of the gradient that the velocity takes in: 1 - dampening.
  double weight_decay = 0;  ///< Added to the gradient: weight_decay * value.
  bool nesterov = false;
  std::span<const ElementRange> undecayed = {};  ///< Where there is no weight decay; rising.
};

/// Replaces `values` and `velocity`, both fp32 [P] as `gradients` is, by what they are one step on;
/// an undefined `velocity` means no momentum. One pass over memory on the CPU.
void sgd_update(torch::Tensor values, const torch::Tensor& gradients, torch::Tensor velocity,
                const SgdStep& step);

/// The same in ATen's operators, on any device.
void sgd_update_plain(torch::Tensor values, const torch::Tensor& gradients, torch::Tensor velocity,
                      const SgdStep& step);

}  // namespace yoke
