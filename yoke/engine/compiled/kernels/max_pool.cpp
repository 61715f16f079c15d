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

/// The best lanes of a window so far and their taps.
struct Best {
  Floats value = Floats{} - std::numeric_limits<float>::infinity();
  Words tap{};
};

// What is not a number stays: nothing takes its place. In the plainer form, (x > best) | (x != x),
// g++ 12 takes each lane by itself, twenty times as slow.
YOKE_INLINE void take_better(Best& best, Floats x, std::int32_t tap) {
  const Words number = best.value == best.value;  // NOLINT(misc-redundant-expression)
  const Floats other = number ? x : best.value;
  const Words worse = other <= best.value;  // not where one of them is not a number
  best.value = worse ? best.value : other;
  best.tap = worse ? best.tap : Words{} + tap;
}

/// The largest lanes of a window, which may be cut off by the image's border.
template <typename T>
YOKE_INLINE Best find_best(const T* input, const std::vector<Member>& rows,
                           const std::vector<Member>& columns, const PoolWindows& windows,
                           std::int64_t block, std::int64_t count) {
  const std::int64_t width = windows.columns.pixels();
  Best best;
  for (const auto& row : rows) {
    for (const auto& column : columns) {
      take_better(best, load_some(input + (row.at * width + column.at) * block, count),
                  static_cast<std::int32_t>(row.tap * windows.kernel_width + column.tap));
    }
  }
  return best;
}

/// The same of a whole window of adjacent pixels, whose number is known.
template <std::int64_t kSize, typename T>
YOKE_INLINE Best find_best_of(const T* first, std::int64_t width, std::int64_t block,
                              std::int64_t count) {
  Best best{.value = load_some(first, count)};
  for (std::int64_t row = 0; row < kSize; ++row) {
    for (std::int64_t column = row == 0 ? 1 : 0; column < kSize; ++column) {
      take_better(best, load_some(first + (row * width + column) * block, count),
                  static_cast<std::int32_t>(row * kSize + column));
    }
  }
  return best;
}

template <typename T>
YOKE_INLINE void store_best(Best best, bool relu, std::int64_t count, T* output,
                            std::uint8_t* tap) {
  if (relu) {
    const Words dead = best.value <= 0;
    best.value = dead ? Floats{} : best.value;
    best.tap = dead ? Words{} + kNoTap : best.tap;
  }
  store_some(best.value, output, count);
  if (tap != nullptr) store_some_bytes(best.tap, tap, count);
}

/// Whether a window is whole and its pixels are adjacent, `size` each way.
YOKE_INLINE bool is_square(const std::vector<Member>& rows, const std::vector<Member>& columns,
                           const PoolWindows& windows, std::size_t size) {
  return windows.dense && rows.size() == size && columns.size() == size &&
         windows.kernel_width == static_cast<std::int64_t>(size);
}

// `kWhole`: the block is a multiple of kLanes, so that no lane is left over.

template <bool kWhole, typename T>
YOKE_INLINE void pool_plane(const T* input, const PoolWindows& windows, bool relu,
                            std::int64_t block, T* output, std::uint8_t* taps) {
  const std::int64_t width = windows.columns.pixels();
  for (const auto& rows : windows.rows.of_window) {
    for (const auto& columns : windows.columns.of_window) {
      const T* const first = input + (rows.front().at * width + columns.front().at) * block;
      const bool is_2x2 = is_square(rows, columns, windows, 2);
      const bool is_3x3 = is_square(rows, columns, windows, 3);
      for (std::int64_t c = 0; c < block; c += kLanes) {
        const std::int64_t count = kWhole ? kLanes : std::min(kLanes, block - c);
        const Best best = is_2x2   ? find_best_of<2>(first + c, width, block, count)
                          : is_3x3 ? find_best_of<3>(first + c, width, block, count)
                                   : find_best(input + c, rows, columns, windows, block, count);
        store_best(best, relu, count, output + c, taps == nullptr ? nullptr : taps + c);
      }
      output += block;
      if (taps != nullptr) taps += block;
    }
  }
}

/// Windows of 2x2 side by side; no lane is left over.
template <typename T>
YOKE_INLINE void pool_plane_2x2(const T* input, const PoolWindows& windows, bool relu,
                                std::int64_t block, T* output, std::uint8_t* taps) {
  const std::int64_t width = windows.columns.pixels(), columns = windows.columns.windows();
  for (std::int64_t row = 0; row < windows.rows.windows(); ++row) {
    const T* first = input + 2 * row * width * block;
    for (std::int64_t column = 0; column < columns; ++column, first += 2 * block) {
      for (std::int64_t c = 0; c < block; c += kLanes) {
        store_best(find_best_of<2>(first + c, width, block, kLanes), relu, kLanes, output + c,
                   taps == nullptr ? nullptr : taps + c);
      }
      output += block;
      if (taps != nullptr) taps += block;
    }
  }
}

/// Each pixel gathers from the windows it is in.
template <bool kWhole, typename T>
YOKE_INLINE void gather_plane(const T* gradient, const std::uint8_t* taps,
                              const PoolWindows& windows, std::int64_t block, T* result) {
  const std::int64_t width = windows.columns.windows();
  for (const auto& rows : windows.rows.of_pixel) {
    for (const auto& columns : windows.columns.of_pixel) {
      for (std::int64_t c = 0; c < block; c += kLanes) {
        const std::int64_t count = kWhole ? kLanes : std::min(kLanes, block - c);
        Floats sum{};
        for (const auto& row : rows) {
          for (const auto& column : columns) {
            const std::int64_t at = (row.at * width + column.at) * block + c;
            const Words tap = load_some_bytes(taps + at, count);
            const auto mine =
                static_cast<std::int32_t>(row.tap * windows.kernel_width + column.tap);
            sum += tap == mine ? load_some(gradient + at, count) : Floats{};
          }
        }
        store_some(sum, result + c, count);
      }
      result += block;
    }
  }
}

/// Windows of 2x2 side by side: each writes its four pixels; what is left over on the right and at
/// the bottom is in none. No lane is left over.
template <typename T>
YOKE_INLINE void scatter_plane_2x2(const T* gradient, const std::uint8_t* taps,
                                   const PoolWindows& windows, std::int64_t block, T* result) {
  using Bits = decltype(load_bits(gradient));
  const std::int64_t width = windows.columns.pixels(), height = windows.rows.pixels();
  const std::int64_t columns = windows.columns.windows(), rows = windows.rows.windows();
  for (std::int64_t row = 0; row < rows; ++row) {
    T* const first = result + 2 * row * width * block;
    for (std::int64_t column = 0; column < columns; ++column) {
      for (std::int64_t c = 0; c < block; c += kLanes, gradient += kLanes, taps += kLanes) {
        T* const corner = first + 2 * column * block + c;
        const Bits bits = load_bits(gradient), tap = load_bytes<Bits>(taps);
        store_bits(tap == 0 ? bits : Bits{}, corner);
        store_bits(tap == 1 ? bits : Bits{}, corner + block);
        store_bits(tap == 2 ? bits : Bits{}, corner + width * block);
        store_bits(tap == 3 ? bits : Bits{}, corner + (width + 1) * block);
      }
    }
    if (2 * columns < width) {
      for (std::int64_t i = 0; i < 2; ++i) {
        T* const rest = first + (i * width + 2 * columns) * block;
        std::fill_n(rest, (width - 2 * columns) * block, T{});
      }
    }
  }
  std::fill_n(result + 2 * rows * width * block, (height - 2 * rows) * width * block, T{});
}

template <typename T>
YOKE_INLINE void pool(const T* input, const PoolWindows& windows, bool relu, Planes planes,
                      T* output, std::uint8_t* taps) {
  const std::int64_t in = windows.rows.pixels() * windows.columns.pixels() * planes.block;
  const std::int64_t out = windows.rows.windows() * windows.columns.windows() * planes.block;
  for (std::int64_t i = 0; i < planes.count; ++i) {
    auto* const own_taps = taps == nullptr ? nullptr : taps + i * out;
    if (windows.side_by_side_2x2 && planes.block % kLanes == 0) {
      pool_plane_2x2(input + i * in, windows, relu, planes.block, output + i * out, own_taps);
    } else if (planes.block % kLanes == 0) {
      pool_plane<true>(input + i * in, windows, relu, planes.block, output + i * out, own_taps);
    } else {
      pool_plane<false>(input + i * in, windows, relu, planes.block, output + i * out, own_taps);
    }
  }
}

template <typename T>
YOKE_INLINE void unpool(const T* gradient, const std::uint8_t* taps, const PoolWindows& windows,
                        Planes planes, T* result) {
  const std::int64_t in = windows.rows.pixels() * windows.columns.pixels() * planes.block;
  const std::int64_t out = windows.rows.windows() * windows.columns.windows() * planes.block;
  for (std::int64_t i = 0; i < planes.count; ++i) {
    const T* const from = gradient + i * out;
    const std::uint8_t* const own_taps = taps + i * out;
    if (windows.side_by_side_2x2 && planes.block % kLanes == 0) {
      scatter_plane_2x2(from, own_taps, windows, planes.block, result + i * in);
    } else if (planes.block % kLanes == 0) {
      gather_plane<true>(from, own_taps, windows, planes.block, result + i * in);
    } else {
      gather_plane<false>(from, own_taps, windows, planes.block, result + i * in);
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

Planes planes_of(const Tensor& tensor) { return {tensor.batch * tensor.blocks(), tensor.block()}; }

}  // namespace

PoolWindows pool_windows(const PoolAxis& rows, const PoolAxis& columns) {
  const auto windows_of = [](const PoolAxis& axis) {
    return regular_windows(axis.pixels, axis.windows, axis.kernel, axis.stride, axis.padding,
                           axis.dilation);
  };
  const auto is_2_by_2 = [](const PoolAxis& axis) {
    return axis.kernel == 2 && axis.stride == 2 && axis.padding == 0 && axis.dilation == 1 &&
           2 * axis.windows <= axis.pixels;
  };
  return {.rows = windows_of(rows),
          .columns = windows_of(columns),
          .kernel_width = columns.kernel,
          .dense = rows.dilation == 1 && columns.dilation == 1,
          .side_by_side_2x2 = is_2_by_2(rows) && is_2_by_2(columns)};
}

void max_pool_forward(const Tensor& input, const PoolWindows& windows, bool relu,
                      const Tensor& output, std::uint8_t* taps) {
  if (input.is_bf16()) {
    pool_bf16(input.data<BFloat16>(), windows, relu, planes_of(input), output.data<BFloat16>(),
              taps);
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
    unpool_floats(output_gradient.data<float>(), taps, windows, planes,
                  input_gradient.data<float>());
  }
}

}  // namespace yoke::compiled
