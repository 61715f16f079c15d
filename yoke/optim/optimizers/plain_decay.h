// yoke/optim/optimizers/plain_decay.h: weight decay in ATen's operators, on any device.
#pragma once
#include <torch/types.h>

#include <span>

#include "yoke/optim/ranges.h"

namespace yoke {

/// `gradients` plus `decay` times `values`, both fp32 [P], but in `undecayed` the gradients alone;
/// `gradients` itself where `decay` is 0.
torch::Tensor decayed_gradients(const torch::Tensor& gradients, const torch::Tensor& values,
                                double decay, std::span<const ElementRange> undecayed);

/// Multiplies `values`, fp32 [P], by `factor`, in place, but for those in `undecayed`.
void shrink_values(const torch::Tensor& values, double factor,
                   std::span<const ElementRange> undecayed);

}  // namespace yoke
