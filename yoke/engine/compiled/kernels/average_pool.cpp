#include "yoke/engine/compiled/kernels/average_pool.h"

#include <algorithm>

#include "yoke/core/vectorise.h"
#include "yoke/engine/compiled/kernels/lanes.h"

namespace yoke::compiled {
namespace {

template <typename T>
YOKE_INLINE void pool_plane(const T* input, const AverageWindows& windows, std::int64_t block,
                            T* output) {
  const std::int64_t width = windows.columns.pixels();
  const float* scale = windows.scale.data();
  for (const auto& rows : windows.rows.of_window) {
    for (const auto& columns : windows.columns.of_window) {
      for (std::int64_t c = 0; c < block; c += kLanes) {
        const std::int64_t count = std::min(kLanes, block - c);
        Floats sum{};
        for (const auto& row : rows) {
          for (const auto& column : columns) {
            sum += load_some(input + (row.at * width + column.at) * block + c, count);
          }
        }
        store_some(sum * *scale, output + c, count);
      }
      output += block;
      ++scale;
    }
  }
}

template <typename T>
YOKE_INLINE void unpool_plane(const T* gradient, const AverageWindows& windows, std::int64_t block,
                              T* result) {
  const std::int64_t width = windows.columns.windows();
  for (const auto& rows : windows.rows.of_pixel) {
    for (const auto& columns : windows.columns.of_pixel) {
      for (std::int64_t c = 0; c < block; c += kLanes) {
        const std::int64_t count = std::min(kLanes, block - c);
        Floats sum{};
        for (const auto& row : rows) {
          for (const auto& column : columns) {
            const std::int64_t window = row.at * width + column.at;
            sum += load_some(gradient + window * block + c, count) *
                   windows.scale[static_cast<std::size_t>(window)];
          }
        }
        store_some(sum, result + c, count);
      }
      result += block;
    }
  }
}

YOKE_VECTORISE void pool_floats(const float* input, const AverageWindows& windows,
                                std::int64_t block, float* output) {
  pool_plane(input, windows, block, output);
}
YOKE_VECTORISE void pool_bf16(const BFloat16* input, const AverageWindows& windows,
                              std::int64_t block, BFloat16* output) {
  pool_plane(input, windows, block, output);
}
YOKE_VECTORISE void unpool_floats(const float* gradient, const AverageWindows& windows,
                                  std::int64_t block, float* result) {
  unpool_plane(gradient, windows, block, result);
}
YOKE_VECTORISE void unpool_bf16(const BFloat16* gradient, const AverageWindows& windows,
                                std::int64_t block, BFloat16* result) {
  unpool_plane(gradient, windows, block, result);
}

/// Calls `kernel` on each plane of both tensors.
template <typename T, typename Kernel>
void for_each_plane(const Tensor& from, const Tensor& to, const Kernel& kernel) {
  for (std::int64_t i = 0; i < from.batch * from.blocks(); ++i) {
    kernel(from.data<T>() + i * from.area() * from.block(),
           to.data<T>() + i * to.area() * to.block());
  }
}

}  // namespace

void average_pool_forward(const Tensor& input, const AverageWindows& windows,
                          const Tensor& output) {
  const std::int64_t block = input.block();
  if (input.is_bf16()) {
    for_each_plane<BFloat16>(input, output, [&](const BFloat16* from, BFloat16* to) {
      pool_bf16(from, windows, block, to);
    });
  } else {
    for_each_plane<float>(input, output, [&](const float* from, float* to) {
      pool_floats(from, windows, block, to);
    });
  }
}

void average_pool_backward(const Tensor& output_gradient, const AverageWindows& windows,
                           const Tensor& input_gradient) {
  const std::int64_t block = output_gradient.block();
  if (output_gradient.is_bf16()) {
    for_each_plane<BFloat16>(
        output_gradient, input_gradient,
        [&](const BFloat16* from, BFloat16* to) { unpool_bf16(from, windows, block, to); });
  } else {
    for_each_plane<float>(output_gradient, input_gradient, [&](const float* from, float* to) {
      unpool_floats(from, windows, block, to);
    });
  }
}

}  // namespace yoke::compiled
