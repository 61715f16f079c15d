// yoke/optim/optimizers/slice_dots.h: dot products of flat vectors, slice by slice.
#pragma once
#include <torch/types.h>

#include <vector>

#include "yoke/core/flat_parameters.h"

namespace yoke {

/// The dot product of `a` and `b`, contiguous fp32 [P], over each of `slices` of them: fp64
/// [slices] on their device. On the CPU products are added in fp64, in one pass over memory; equal
/// bits on any number of threads.
torch::Tensor slice_dots(const std::vector<ParameterSlice>& slices, const torch::Tensor& a,
                         const torch::Tensor& b);

/// The same in ATen's operators, added in fp32, on any device.
torch::Tensor slice_dots_plain(const std::vector<ParameterSlice>& slices, const torch::Tensor& a,
                               const torch::Tensor& b);

}  // namespace yoke
