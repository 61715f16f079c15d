// yoke/engine/compiled/kernels/winograd_windows.h: tiles in the memory of images, sixteen channels
// at a time.
#pragma once
#include "yoke/engine/compiled/kernels/lanes.h"
#include "yoke/engine/compiled/kernels/winograd.h"
#include "yoke/engine/compiled/kernels/winograd_transforms.h"

namespace yoke::compiled::winograd {

static_assert(kWinogradChannels == kLanes);

/// Calls `work` with a number of `type`, fp32 or bf16.
template <typename Work>
YOKE_INLINE void with_number(dnnl::memory::data_type type, const Work& work) {
  type == dnnl::memory::data_type::bf16 ? work(BFloat16()) : work(float());
}

/// Where sixteen channels of an image lie, which may be turned by 180 degrees: its last pixel is
/// the first then.
struct Layout {
  explicit Layout(const Tensor& tensor, bool turned = false)
      : height(tensor.shape.height),
        width(tensor.shape.width),
        channels(tensor.blocks() * tensor.block()),
        block(tensor.block()),
        image(tensor.elements() / tensor.batch),
        step(turned ? -block : block),
        first(turned ? (tensor.area() - 1) * block : 0) {}

  /// The first of the channels from `c` on in the first pixel of image `n`.
  std::int64_t at(std::int64_t n, std::int64_t c) const {
    return n * image + c / block * (height * width * block) + c % block + first;
  }

  std::int64_t height, width, channels, block;
  std::int64_t image;  ///< Elements of one.
  std::int64_t step;   ///< From one pixel to the next.
  std::int64_t first;  ///< Where the first pixel is.
};

/// Where a tile lies.
struct Place {
  std::int64_t image, y, x;
};

/// Pixels of an image from `y`, `x` on, of which those outside are zero.
template <std::int64_t kSide>
struct Window {
  std::int64_t y, x, height, width;

  /// Of a tile of the result.
  static Window of(const Place& place, const Layout& layout) {
    return {place.y, place.x, layout.height, layout.width};
  }

  bool inside() const { return y >= 0 && x >= 0 && y + kSide <= height && x + kSide <= width; }
  bool has_row(std::int64_t dy) const { return y + dy >= 0 && y + dy < height; }
  bool has_column(std::int64_t dx) const { return x + dx >= 0 && x + dx < width; }
  std::int64_t pixel(std::int64_t dy, std::int64_t dx) const { return (y + dy) * width + x + dx; }
};

inline Place place_of(std::int64_t tile, const WinogradTiles& grid) {
  const std::int64_t in_image = tile % grid.per_image();
  return {tile / grid.per_image(), in_image / grid.across() * WinogradTiles::kPixels,
          in_image % grid.across() * WinogradTiles::kPixels};
}

/// Sixteen channels of a pixel in a column that the image has.
template <bool kInside, std::int64_t kSide, typename T>
YOKE_INLINE Floats load_pixel(const T* from, std::int64_t step, const Window<kSide>& window,
                              std::int64_t dy, std::int64_t dx) {
  if (!kInside && !window.has_row(dy)) return Floats{};
  return load(from + window.pixel(dy, dx) * step);
}

/// What is done to each pixel of a result: `bias` [C] added, unless it is null; negative ones times
/// `*slope` unless that is null.
struct Finish {
  const float* bias;
  const float* slope;
};

/// Transforms products, whose columns are transformed, back into channels `c` to c + 15 of a tile.
template <typename F, typename T>
YOKE_INLINE void store_rows(const Floats (&rows)[4][F::kSide], const Finish& finish, std::int64_t c,
                            const Window<4>& window, std::int64_t step, T* to) {
  const Floats added = finish.bias == nullptr ? Floats{} : load(finish.bias + c);
  for (int y = 0; y < 4; ++y) {
    Floats done[4];
    F::result(rows[y], done);
    for (int x = 0; x < 4; ++x) {
      Floats pixel = done[x] + added;
      if (finish.slope != nullptr) pixel = pixel > 0 ? pixel : pixel * *finish.slope;
      if (window.has_row(y) && window.has_column(x)) {
        store(pixel, to + window.pixel(y, x) * step);
      }
    }
  }
}

/// Transforms the columns of a tile of the result's gradient; `store(y, x, lanes)` takes them.
/// Returns the sum of its pixels.
template <typename F, bool kInside, typename T, typename Store>
YOKE_INLINE Floats gradient_columns(const T* from, std::int64_t step, const Window<4>& window,
                                    const Store& store) {
  Floats sum{};
  transform_columns<4, F::kSide, F::gradient>(
      [&](int x) YOKE_INLINED { return kInside || window.has_column(x); },
      [&](int y, int x) YOKE_INLINED {
        const Floats pixel = load_pixel<kInside>(from, step, window, y, x);
        sum += pixel;
        return pixel;
      },
      store);
  return sum;
}

/// Likewise, wherever the tile lies.
template <typename F, typename T, typename Store>
YOKE_INLINE Floats gradient_columns(const T* from, std::int64_t step, const Window<4>& window,
                                    const Store& store) {
  return window.inside() ? gradient_columns<F, true>(from, step, window, store)
                         : gradient_columns<F, false>(from, step, window, store);
}

}  // namespace yoke::compiled::winograd
