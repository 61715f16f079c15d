#include "yoke/engine/compiled/kernels/winograd.h"

#include "yoke/core/vectorise.h"
#include "yoke/engine/compiled/kernels/lanes.h"
#include "yoke/engine/compiled/kernels/winograd_transforms.h"

namespace yoke::compiled {
namespace {

static_assert(kWinogradChannels == kLanes);

/// Where sixteen channels of an image lie.
struct Layout {
  explicit Layout(const Tensor& tensor)
      : height(tensor.shape.height),
        width(tensor.shape.width),
        channels(tensor.shape.channels),
        block(tensor.block()),
        image(tensor.elements() / tensor.batch) {}

  /// The first of the channels from `c` on in the first pixel of image `n`.
  std::int64_t at(std::int64_t n, std::int64_t c) const {
    return n * image + c / block * (height * width * block) + c % block;
  }

  std::int64_t height, width, channels, block;
  std::int64_t image;  ///< Elements of one.
};

/// Pixels of an image from `y`, `x` on, of which those outside are zero.
template <std::int64_t kSide>
struct Window {
  std::int64_t y, x, height, width;

  bool inside() const { return y >= 0 && x >= 0 && y + kSide <= height && x + kSide <= width; }
  bool has_row(std::int64_t dy) const { return y + dy >= 0 && y + dy < height; }
  bool has_column(std::int64_t dx) const { return x + dx >= 0 && x + dx < width; }
  std::int64_t pixel(std::int64_t dy, std::int64_t dx) const { return (y + dy) * width + x + dx; }
};

/// Where a tile lies.
struct Place {
  std::int64_t image, y, x;
};

Place place_of(std::int64_t tile, const WinogradTiles& grid) {
  const std::int64_t in_image = tile % grid.per_image();
  return {tile / grid.per_image(), in_image / grid.across() * WinogradTiles::kPixels,
          in_image % grid.across() * WinogradTiles::kPixels};
}

/// Calls `work(i, place, c)` for each tile and sixteen channels, neighbours in memory soon after
/// one another.
template <typename Work>
YOKE_INLINE void for_each_group(const Layout& layout, const WinogradTiles& grid, TileRange tiles,
                                const Work& work) {
  const std::int64_t together = layout.block > kLanes ? layout.channels : kLanes;
  for (std::int64_t begin = 0; begin < layout.channels; begin += together) {
    for (std::int64_t i = 0; i < tiles.count; ++i) {
      const Place place = place_of(tiles.first + i, grid);
      for (std::int64_t c = begin; c < begin + together; c += kLanes) work(i, place, c);
    }
  }
}

/// Sixteen channels of a pixel in a column that the image has.
template <bool kInside, std::int64_t kSide, typename T>
YOKE_INLINE Floats load_pixel(const T* from, std::int64_t block, const Window<kSide>& window,
                              std::int64_t dy, std::int64_t dx) {
  if (!kInside && !window.has_row(dy)) return Floats{};
  return load(from + window.pixel(dy, dx) * block);
}

template <typename F, bool kInside, typename T>
YOKE_INLINE void input_group(const T* from, std::int64_t block, const Window<F::kSide>& window,
                             float* to, std::int64_t pitch) {
  constexpr int kSide = F::kSide;
  winograd::in_both_dimensions<kSide, kSide, F::input>(
      [&](int x) YOKE_INLINED { return kInside || window.has_column(x); },
      [&](int y, int x) YOKE_INLINED { return load_pixel<kInside>(from, block, window, y, x); },
      [&](int y, int x, Floats lanes) YOKE_INLINED { store(lanes, to + (y * kSide + x) * pitch); });
}

template <typename F, typename T>
YOKE_INLINE void input_tiles(F, const T* input, const Layout& layout, const WinogradTiles& grid,
                             TileRange tiles, std::int64_t pad_y, std::int64_t pad_x,
                             const TileMatrices& to) {
  for_each_group(layout, grid, tiles,
                 [&](std::int64_t i, const Place& place, std::int64_t c) YOKE_INLINED {
                   const Window<F::kSide> window{place.y - pad_y, place.x - pad_x, layout.height,
                                                 layout.width};
                   const T* const from = input + layout.at(place.image, c);
                   float* const row = to.data + i * to.channels + c;
                   if (window.inside()) {
                     input_group<F, true>(from, layout.block, window, row, to.pitch);
                   } else {
                     input_group<F, false>(from, layout.block, window, row, to.pitch);
                   }
                 });
}

template <typename F, typename T>
YOKE_INLINE void result_group(const float* from, std::int64_t pitch, const float* bias,
                              const float* slope, const Window<4>& window, std::int64_t block,
                              T* to) {
  const Floats added = bias == nullptr ? Floats{} : load(bias);
  winograd::in_both_dimensions<F::kSide, 4, F::result>(
      [&](int y, int x) YOKE_INLINED { return load(from + (y * F::kSide + x) * pitch); },
      [&](int y, int x, Floats lanes) YOKE_INLINED {
        Floats pixel = lanes + added;
        if (slope != nullptr) pixel = pixel > 0 ? pixel : pixel * *slope;
        if (window.has_row(y) && window.has_column(x))
          store(pixel, to + window.pixel(y, x) * block);
      });
}

template <typename F, typename T>
YOKE_INLINE void result_tiles(F, const TileMatrices& products, const WinogradTiles& grid,
                              TileRange tiles, const float* bias, const float* slope,
                              const Layout& layout, T* result) {
  for_each_group(layout, grid, tiles,
                 [&](std::int64_t i, const Place& place, std::int64_t c) YOKE_INLINED {
                   const Window<4> window{place.y, place.x, layout.height, layout.width};
                   result_group<F>(products.data + i * products.channels + c, products.pitch,
                                   bias == nullptr ? nullptr : bias + c, slope, window,
                                   layout.block, result + layout.at(place.image, c));
                 });
}

template <typename F, bool kInside, typename T>
YOKE_INLINE Floats gradient_group(const T* from, std::int64_t block, const Window<4>& window,
                                  float* to, std::int64_t pitch) {
  Floats sum{};
  winograd::in_both_dimensions<4, F::kSide, F::gradient>(
      [&](int x) YOKE_INLINED { return kInside || window.has_column(x); },
      [&](int y, int x) YOKE_INLINED {
        const Floats pixel = load_pixel<kInside>(from, block, window, y, x);
        sum += pixel;
        return pixel;
      },
      [&](int y, int x, Floats lanes)
          YOKE_INLINED { store(lanes, to + (y * F::kSide + x) * pitch); });
  return sum;
}

template <typename F, typename T>
YOKE_INLINE void gradient_tiles(F, const T* gradient, const Layout& layout,
                                const WinogradTiles& grid, TileRange tiles, const TileMatrices& to,
                                float* bias) {
  for_each_group(
      layout, grid, tiles, [&](std::int64_t i, const Place& place, std::int64_t c) YOKE_INLINED {
        const Window<4> window{place.y, place.x, layout.height, layout.width};
        const T* const from = gradient + layout.at(place.image, c);
        float* const row = to.data + i * to.channels + c;
        const Floats sum =
            window.inside() ? gradient_group<F, true>(from, layout.block, window, row, to.pitch)
                            : gradient_group<F, false>(from, layout.block, window, row, to.pitch);
        if (bias != nullptr) store(load(bias + c) + sum, bias + c);
      });
}

YOKE_VECTORISE void input_floats(const float* input, const Layout& layout,
                                 const WinogradTiles& grid, TileRange tiles, std::int64_t pad_y,
                                 std::int64_t pad_x, const TileMatrices& to) {
  winograd::with_transforms(grid.taps, [&](auto f) YOKE_INLINED {
    input_tiles(f, input, layout, grid, tiles, pad_y, pad_x, to);
  });
}
YOKE_VECTORISE void input_bf16(const BFloat16* input, const Layout& layout,
                               const WinogradTiles& grid, TileRange tiles, std::int64_t pad_y,
                               std::int64_t pad_x, const TileMatrices& to) {
  winograd::with_transforms(grid.taps, [&](auto f) YOKE_INLINED {
    input_tiles(f, input, layout, grid, tiles, pad_y, pad_x, to);
  });
}
YOKE_VECTORISE void result_floats(const TileMatrices& products, const WinogradTiles& grid,
                                  TileRange tiles, const float* bias, const float* slope,
                                  const Layout& layout, float* result) {
  winograd::with_transforms(grid.taps, [&](auto f) YOKE_INLINED {
    result_tiles(f, products, grid, tiles, bias, slope, layout, result);
  });
}
YOKE_VECTORISE void result_bf16(const TileMatrices& products, const WinogradTiles& grid,
                                TileRange tiles, const float* bias, const float* slope,
                                const Layout& layout, BFloat16* result) {
  winograd::with_transforms(grid.taps, [&](auto f) YOKE_INLINED {
    result_tiles(f, products, grid, tiles, bias, slope, layout, result);
  });
}
YOKE_VECTORISE void gradient_floats(const float* gradient, const Layout& layout,
                                    const WinogradTiles& grid, TileRange tiles,
                                    const TileMatrices& to, float* bias) {
  winograd::with_transforms(grid.taps, [&](auto f) YOKE_INLINED {
    gradient_tiles(f, gradient, layout, grid, tiles, to, bias);
  });
}
YOKE_VECTORISE void gradient_bf16(const BFloat16* gradient, const Layout& layout,
                                  const WinogradTiles& grid, TileRange tiles,
                                  const TileMatrices& to, float* bias) {
  winograd::with_transforms(grid.taps, [&](auto f) YOKE_INLINED {
    gradient_tiles(f, gradient, layout, grid, tiles, to, bias);
  });
}

}  // namespace

void winograd_input(const Tensor& input, const WinogradTiles& grid, TileRange tiles,
                    std::int64_t pad_y, std::int64_t pad_x, const TileMatrices& to) {
  const Layout layout(input);
  if (input.is_bf16())
    return input_bf16(input.data<BFloat16>(), layout, grid, tiles, pad_y, pad_x, to);
  input_floats(input.data<float>(), layout, grid, tiles, pad_y, pad_x, to);
}

void winograd_result(const TileMatrices& products, const WinogradTiles& grid, TileRange tiles,
                     const float* bias, const float* slope, const Tensor& result) {
  const Layout layout(result);
  if (result.is_bf16()) {
    return result_bf16(products, grid, tiles, bias, slope, layout, result.data<BFloat16>());
  }
  result_floats(products, grid, tiles, bias, slope, layout, result.data<float>());
}

void winograd_gradient(const Tensor& gradient, const WinogradTiles& grid, TileRange tiles,
                       const TileMatrices& to, float* bias) {
  const Layout layout(gradient);
  if (gradient.is_bf16()) {
    return gradient_bf16(gradient.data<BFloat16>(), layout, grid, tiles, to, bias);
  }
  gradient_floats(gradient.data<float>(), layout, grid, tiles, to, bias);
}

}  // namespace yoke::compiled
