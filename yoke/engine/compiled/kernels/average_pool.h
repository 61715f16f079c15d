// yoke/engine/compiled/kernels/average_pool.h: average pooling of any kind.
#pragma once
#include "yoke/engine/compiled/kernels/windows.h"
#include "yoke/engine/compiled/memory/tensor.h"

namespace yoke::compiled {

/// The windows of an average pooling and what each is divided by.
struct AverageWindows {
  WindowAxis rows, columns;
  std::vector<float> scale;  ///< By window [OH, OW]: 1 / divisor.
};

/// `output` [N, C, OH, OW] from `input` [N, C, H, W], of equal block and type.
void average_pool_forward(const Tensor& input, const AverageWindows& windows, const Tensor& output);

/// Writes all of `input_gradient`.
void average_pool_backward(const Tensor& output_gradient, const AverageWindows& windows,
                           const Tensor& input_gradient);

}  // namespace yoke::compiled
