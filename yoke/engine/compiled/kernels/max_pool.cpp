#include "yoke/engine/compiled/kernels/max_pool.h"

#include <algorithm>
#include <limits>

#include "yoke/core/vectorise.h"
#include "yoke/engine/compiled/kernels/lanes.h"

namespace yoke::compiled {
namespace {

constexpr std::int32_t kNoTap = 255;

/// The planes of a tensor, one per image and block of channels.
struct Planes {
  std::int64_t count, block;
};

template <typename T>
YOKE_INLINE void pool_plane(const T* input, const PoolWindows& windows, bool relu,
                            std::int64_t block, T* output, std::uint8_t* taps) {
  const std::int64_t width = windows.columns.pixels();
  std::int64_t out = 0;
  for (const auto& rows : windows.rows.of_window) {
    for (const auto& columns : windows.columns.of_window) {
      for (std::int64_t c = 0; c < block; c += kLanes) {
        const std::int64_t count = std::min(kLanes, block - c);
        Floats best = Floats{} - std::numeric_limits<float>::infinity();
        Words tap{};
        for (const auto& row : rows) {
          for (const auto& column : columns) {
            const Floats x = load_some(input + (row.at * width + column.at) * block + c, count);
            const Words better = ~(x <= best);  // also where x is not a number
            best = better ? x : best;
            tap = better ? Words{} + static_cast<std::int32_t>(row.tap * windows.kernel_width + column.tap) : tap;
          }
        }
        if (relu) {
          const Words dead = best <= 0;
          best = dead ? Floats{} : best;
          tap = dead ? Words{} + kNoTap : tap;
        }
        store_some(best, output + out, count);
        if (taps != nullptr) store_some_bytes(tap, taps + out, count);
        out += count;
      }
    }
  }
}

template <typename T>
YOKE_INLINE void unpool_plane(const T* gradient, const std::uint8_t* taps,
                              const PoolWindows& windows, std::int64_t block, T* result) {
  const std::int64_t width = windows.columns.windows();
  for (const auto& rows : windows.rows.of_pixel) {
    for (const auto& columns : windows.columns.of_pixel) {
      for (std::int64_t c = 0; c < block; c += kLanes) {
        const std::int64_t count = std::min(kLanes, block - c);
        Floats sum{};
        for (const auto& row : rows) {
          for (const auto& column : columns) {
            const std::int64_t at = (row.at * width + column.at) * block + c;
            const Words tap = load_some_bytes(taps + at, count);
            const auto mine = static_cast<std::int32_t>(row.tap * windows.kernel_width + column.tap);
            sum += tap == mine ? load_some(gradient + at, count) : Floats{};
          }
        }
        store_some(sum, result + c, count);
      }
      result += block;
    }
  }
}

template <typename T>
YOKE_INLINE void pool(const T* input, const PoolWindows& windows, bool relu, Planes planes,
                      T* output, std::uint8_t* taps) {
  const std::int64_t in = windows.rows.pixels() * windows.columns.pixels() * planes.block;
  const std::int64_t out = windows.rows.windows() * windows.columns.windows() * planes.block;
  for (std::int64_t i = 0; i < planes.count; ++i) {
    auto* const own_taps = taps == nullptr ? nullptr : taps + i * out;
    if (planes.block == kLanes) {  // a constant, so that no lane is tested for
      pool_plane(input + i * in, windows, relu, kLanes, output + i * out, own_taps);
    } else {
      pool_plane(input + i * in, windows, relu, planes.block, output + i * out, own_taps);
    }
  }
}

template <typename T>
YOKE_INLINE void unpool(const T* gradient, const std::uint8_t* taps, const PoolWindows& windows,
                        Planes planes, T* result) {
  const std::int64_t in = windows.rows.pixels() * windows.columns.pixels() * planes.block;
  const std::int64_t out = windows.rows.windows() * windows.columns.windows() * planes.block;
  for (std::int64_t i = 0; i < planes.count; ++i) {
    if (planes.block == kLanes) {
      unpool_plane(gradient + i * out, taps + i * out, windows, kLanes, result + i * in);
    } else {
      unpool_plane(gradient + i * out, taps + i * out, windows, planes.block, result + i * in);
    }
  }
}

YOKE_VECTORISE void pool_floats(const float* input, const PoolWindows& windows, bool relu,
                                Planes planes, float* output, std::uint8_t* taps) {
  pool(input, windows, relu, planes, output, taps);
}
YOKE_VECTORISE void pool_bf16(const BFloat16* input, const PoolWindows& windows, bool relu,
                              Planes planes, BFloat16* output, std::uint8_t* taps) {
  pool(input, windows, relu, planes, output, taps);
}
YOKE_VECTORISE void unpool_floats(const float* gradient, const std::uint8_t* taps,
                                  const PoolWindows& windows, Planes planes, float* result) {
  unpool(gradient, taps, windows, planes, result);
}
YOKE_VECTORISE void unpool_bf16(const BFloat16* gradient, const std::uint8_t* taps,
                                const PoolWindows& windows, Planes planes, BFloat16* result) {
  unpool(gradient, taps, windows, planes, result);
}

Planes planes_of(const Tensor& tensor) { return {tensor.batch * tensor.blocks(), tensor.block}; }

}  // namespace

void max_pool_forward(const Tensor& input, const PoolWindows& windows, bool relu,
                      const Tensor& output, std::uint8_t* taps) {
  if (input.is_bf16()) {
    pool_bf16(input.data<BFloat16>(), windows, relu, planes_of(input), output.data<BFloat16>(), taps);
  } else {
    pool_floats(input.data<float>(), windows, relu, planes_of(input), output.data<float>(), taps);
  }
}

void max_pool_backward(const Tensor& output_gradient, const std::uint8_t* taps,
                       const PoolWindows& windows, const Tensor& input_gradient) {
  const Planes planes = planes_of(output_gradient);
  if (output_gradient.is_bf16()) {
    unpool_bf16(output_gradient.data<BFloat16>(), taps, windows, planes,
                input_gradient.data<BFloat16>());
  } else {
    unpool_floats(output_gradient.data<float>(), taps, windows, planes, input_gradient.data<float>());
  }
}

}  // namespace yoke::compiled
