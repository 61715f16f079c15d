// yoke/engine/compiled/kernels/depthwise.h: the weight gradient of a depthwise convolution.
#pragma once
#include "yoke/engine/compiled/kernels/patches.h"
#include "yoke/engine/compiled/memory/tensor.h"

namespace yoke::compiled {

/// weights fp32 [C, kernel_height, kernel_width] = for each tap the sum over images and windows of
/// `gradient` [N, C, out_height, out_width] times the pixel of `input` [N, C, H, W] under the tap,
/// 0 outside of the image; bias fp32 [C], unless it is null, = the sums of `gradient`. Both tensors
/// have one format and type.
void depthwise_weight_gradient(const Tensor& input, const Tensor& gradient,
                               const PatchGeometry& geometry, float* weights, float* bias);

}  // namespace yoke::compiled
