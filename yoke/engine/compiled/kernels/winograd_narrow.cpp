#include "yoke/engine/compiled/kernels/winograd_narrow.h"

#include <algorithm>
#include <type_traits>

#include "yoke/core/vectorise.h"
#include "yoke/engine/compiled/kernels/winograd_windows.h"

namespace yoke::compiled {
namespace {

using winograd::Finish, winograd::Layout, winograd::Place, winograd::Window;

template <int kInputs>
using Channels = std::integral_constant<int, kInputs>;

/// Where a tile of sixteen has product (y, x) of channel `c`, and a kernel of sixteen outputs, too.
template <typename F, int kInputs>
constexpr std::int64_t at(int y, int x, int c) {
  return ((y * F::kSide + x) * kInputs + c) * kLanes;
}

/// Calls `work(first, count)` for sixteen tiles at a time.
template <typename Work>
YOKE_INLINE void for_each_sixteen(std::int64_t images, const WinogradTiles& grid,
                                  const Work& work) {
  const std::int64_t tiles = images * grid.per_image();
  for (std::int64_t first = 0; first < tiles; first += kLanes) {
    work(first, std::min(kLanes, tiles - first));
  }
}

// Both passes take tiles eight at a time, half transformed, so that what all of them are multiplied
// by, or added to, stays in registers.
constexpr std::int64_t kTogether = 8;

/// Products of tiles, of which the columns are transformed back.
template <typename F>
struct ResultRows {
  Floats data[kTogether][4][F::kSide];

  /// Of the tiles from `seen` on and weights [P, C, 16].
  template <int kInputs>
  YOKE_INLINE void multiply(const float* seen, const float* weights) {
    for (int x = 0; x < F::kSide; ++x) {
      Floats taps[F::kSide][kInputs];
      for (int y = 0; y < F::kSide; ++y) {
        for (int c = 0; c < kInputs; ++c) taps[y][c] = load(weights + at<F, kInputs>(y, x, c));
      }
      for (std::int64_t i = 0; i < kTogether; ++i) {
        Floats column[F::kSide] = {}, done[4];
        for (int y = 0; y < F::kSide; ++y) {
          for (int c = 0; c < kInputs; ++c) {
            column[y] += seen[at<F, kInputs>(y, x, c) + i] * taps[y][c];
          }
        }
        F::result(column, done);
        for (int y = 0; y < 4; ++y) data[i][y][x] = done[y];
      }
    }
  }
};

template <typename F, int kInputs, typename T>
YOKE_INLINE void result_tiles(F, Channels<kInputs>, const NarrowTiles& seen, const float* weights,
                              const Finish& finish, const Layout& layout, std::int64_t batch,
                              T* result) {
  for_each_sixteen(batch, seen.grid, [&](std::int64_t first, std::int64_t count) YOKE_INLINED {
    ResultRows<F> rows;
    const float* const tiles = seen.data + first * seen.floats_of_tile();
    for (std::int64_t o = 0; o < layout.channels; o += kLanes) {
      for (std::int64_t begin = 0; begin < count; begin += kTogether) {
        rows.template multiply<kInputs>(tiles + begin,
                                        weights + o * (F::kSide * F::kSide * kInputs));
        for (std::int64_t i = 0; i < std::min(kTogether, count - begin); ++i) {
          const Place place = winograd::place_of(first + begin + i, seen.grid);
          winograd::store_rows<F>(rows.data[i], finish, o, Window<4>::of(place, layout),
                                  layout.step, result + layout.at(place.image, o));
        }
      }
    }
  });
}

/// Tiles of the result's gradient, of which the columns are transformed.
template <typename F>
struct GradientRows {
  Floats data[F::kSide][kTogether][4];

  /// The `count` tiles from `first` on, and zeros; returns the sum of their pixels.
  template <typename T>
  YOKE_INLINE Floats take(const T* gradient, const Layout& layout, const WinogradTiles& grid,
                          std::int64_t first, std::int64_t count) {
    Floats sum{};
    for (std::int64_t i = 0; i < kTogether; ++i) {
      if (i >= count) {
        for (auto& row : data) std::fill_n(row[i], 4, Floats{});
        continue;
      }
      const Place place = winograd::place_of(first + i, grid);
      sum += winograd::gradient_columns<F>(
          gradient + layout.at(place.image, 0), layout.step, Window<4>::of(place, layout),
          [&](int y, int x, Floats lanes) YOKE_INLINED { data[y][i][x] = lanes; });
    }
    return sum;
  }

  /// Adds the products with the tiles from `seen` on to [P, C, 16].
  template <int kInputs>
  YOKE_INLINE void add_products(const float* seen, float* sums) const {
    for (int y = 0; y < F::kSide; ++y) {
      Floats sum[F::kSide][kInputs];
      for (int x = 0; x < F::kSide; ++x) {
        for (int c = 0; c < kInputs; ++c) sum[x][c] = load(sums + at<F, kInputs>(y, x, c));
      }
      for (std::int64_t i = 0; i < kTogether; ++i) {
        Floats given[F::kSide];
        F::gradient(data[y][i], given);
        for (int x = 0; x < F::kSide; ++x) {
          for (int c = 0; c < kInputs; ++c) {
            sum[x][c] += seen[at<F, kInputs>(y, x, c) + i] * given[x];
          }
        }
      }
      for (int x = 0; x < F::kSide; ++x) {
        for (int c = 0; c < kInputs; ++c) store(sum[x][c], sums + at<F, kInputs>(y, x, c));
      }
    }
  }
};

template <typename F, int kInputs, typename T>
YOKE_INLINE void gradient_tiles(F, Channels<kInputs>, const NarrowTiles& seen, const T* gradient,
                                const Layout& layout, std::int64_t batch, float* sums,
                                float* bias) {
  for_each_sixteen(batch, seen.grid, [&](std::int64_t first, std::int64_t count) YOKE_INLINED {
    GradientRows<F> rows;
    const float* const tiles = seen.data + first * seen.floats_of_tile();
    for (std::int64_t o = 0; o < layout.channels; o += kLanes) {
      for (std::int64_t begin = 0; begin < count; begin += kTogether) {
        const Floats sum =
            rows.take(gradient + layout.at(0, o), layout, seen.grid, first + begin, count - begin);
        if (bias != nullptr) store(load(bias + o) + sum, bias + o);
        rows.template add_products<kInputs>(tiles + begin,
                                            sums + o * (F::kSide * F::kSide * kInputs));
      }
    }
  });
}

/// Calls `work` with the transforms and the channels that `seen` asks for.
template <typename Work>
YOKE_INLINE void with_kind(const NarrowTiles& seen, const Work& work) {
  winograd::with_transforms(seen.grid.taps, [&](auto f) YOKE_INLINED {
    seen.channels == 1 ? work(f, Channels<1>()) : work(f, Channels<3>());
  });
}

YOKE_VECTORISE void result_floats(const NarrowTiles& seen, const float* weights,
                                  const Finish& finish, const Layout& layout, std::int64_t batch,
                                  float* result) {
  with_kind(seen, [&](auto f, auto channels) YOKE_INLINED {
    result_tiles(f, channels, seen, weights, finish, layout, batch, result);
  });
}
YOKE_VECTORISE void result_bf16(const NarrowTiles& seen, const float* weights, const Finish& finish,
                                const Layout& layout, std::int64_t batch, BFloat16* result) {
  with_kind(seen, [&](auto f, auto channels) YOKE_INLINED {
    result_tiles(f, channels, seen, weights, finish, layout, batch, result);
  });
}
YOKE_VECTORISE void gradient_floats(const NarrowTiles& seen, const float* gradient,
                                    const Layout& layout, std::int64_t batch, float* sums,
                                    float* bias) {
  with_kind(seen, [&](auto f, auto channels) YOKE_INLINED {
    gradient_tiles(f, channels, seen, gradient, layout, batch, sums, bias);
  });
}
YOKE_VECTORISE void gradient_bf16(const NarrowTiles& seen, const BFloat16* gradient,
                                  const Layout& layout, std::int64_t batch, float* sums,
                                  float* bias) {
  with_kind(seen, [&](auto f, auto channels) YOKE_INLINED {
    gradient_tiles(f, channels, seen, gradient, layout, batch, sums, bias);
  });
}

}  // namespace

void winograd_narrow_result(const NarrowTiles& seen, const float* weights, const float* bias,
                            const float* slope, const Tensor& result) {
  const Layout layout(result);
  if (result.is_bf16()) {
    return result_bf16(seen, weights, {bias, slope}, layout, result.batch, result.data<BFloat16>());
  }
  result_floats(seen, weights, {bias, slope}, layout, result.batch, result.data<float>());
}

void winograd_narrow_gradient(const NarrowTiles& seen, const Tensor& gradient, float* sums,
                              float* bias) {
  const Layout layout(gradient);
  if (gradient.is_bf16()) {
    return gradient_bf16(seen, gradient.data<BFloat16>(), layout, gradient.batch, sums, bias);
  }
  gradient_floats(seen, gradient.data<float>(), layout, gradient.batch, sums, bias);
}

}  // namespace yoke::compiled
