// yoke/engine/compiled/kernels/max_pool.h: max pooling, with the ReLU before or after it.
#pragma once
#include "yoke/engine/compiled/kernels/windows.h"
#include "yoke/engine/compiled/memory/tensor.h"

namespace yoke::compiled {

/// The windows of a pooling. No window is empty; at most 254 taps.
struct PoolWindows {
  WindowAxis rows, columns;
  std::int64_t kernel_width = 1;  ///< A tap's number is its row * kernel_width + its column.
  bool dense = true;              ///< The pixels of a window are adjacent.
  bool side_by_side_2x2 = false;  ///< Windows of 2x2 from the first pixel on, none cut off.
};

/// Pooling along one axis.
struct PoolAxis {
  std::int64_t pixels, windows, kernel, stride, padding, dilation;
};
PoolWindows pool_windows(const PoolAxis& rows, const PoolAxis& columns);

/// `output` [N, C, OH, OW] from `input` [N, C, H, W], of equal block and type. `taps`, where not
/// null, gets the tap of each maximum, the first one of equals, uint8 in the order of `output`;
/// with `relu` no tap (255) where the maximum is not above 0.
void max_pool_forward(const Tensor& input, const PoolWindows& windows, bool relu,
                      const Tensor& output, std::uint8_t* taps);

/// Writes all of `input_gradient` from `output_gradient` and the taps of the forward pass.
void max_pool_backward(const Tensor& output_gradient, const std::uint8_t* taps,
                       const PoolWindows& windows, const Tensor& input_gradient);

}  // namespace yoke::compiled
