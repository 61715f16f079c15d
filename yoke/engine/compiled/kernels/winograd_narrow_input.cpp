// Images cut into tiles, transformed, sixteen tiles at a time.
#include <algorithm>

#include "yoke/core/vectorise.h"
#include "yoke/engine/compiled/kernels/winograd_narrow.h"
#include "yoke/engine/compiled/kernels/winograd_windows.h"

namespace yoke::compiled {
namespace {

using winograd::Place;

/// Images in a frame of zeros, so that each tile sees pixels: [N, C, rows, columns].
struct Frames {
  std::int64_t rows, columns;

  explicit Frames(const WinogradTiles& grid)
      : rows(grid.kPixels * grid.down() + grid.taps - 1),
        columns(grid.kPixels * grid.across() + grid.taps - 1) {}
  std::int64_t plane() const { return rows * columns; }
};

template <typename T>
YOKE_INLINE void frame_planes(const T* from, std::int64_t planes, const ImageShape& shape,
                              std::int64_t pad_y, std::int64_t pad_x, const Frames& frames,
                              float* to) {
  std::fill_n(to, planes * frames.plane(), 0.0F);
  // What lies beyond the last tile is seen by none.
  const std::int64_t height = std::min(shape.height, frames.rows - pad_y);
  const std::int64_t width = std::min(shape.width, frames.columns - pad_x);
  for (std::int64_t plane = 0; plane < planes; ++plane) {
    for (std::int64_t y = 0; y < height; ++y) {
      const T* const row = from + (plane * shape.height + y) * shape.width;
      float* const framed = to + (plane * frames.rows + y + pad_y) * frames.columns + pad_x;
      for (std::int64_t x = 0; x < width; x += kLanes) {
        const std::int64_t count = std::min(kLanes, width - x);
        store_some(load_some(row + x, count), framed + x, count);
      }
    }
  }
}

/// Sixteen tiles, a lane each, from where they lie in the first channel.
template <typename F>
YOKE_INLINE void transform_sixteen(F, const float* const (&from)[kLanes], std::int64_t channels,
                                   const Frames& frames, float* to) {
  alignas(64) float pixels[F::kSide][F::kSide][kLanes];
  for (std::int64_t c = 0; c < channels; ++c) {
    for (std::int64_t i = 0; i < kLanes; ++i) {
      for (std::int64_t y = 0; y < F::kSide; ++y) {
        const float* const row = from[i] + c * frames.plane() + y * frames.columns;
        for (std::int64_t x = 0; x < F::kSide; ++x) pixels[y][x][i] = row[x];
      }
    }
    winograd::in_both_dimensions<F::kSide, F::kSide, F::input>(
        winograd::kWhole, [&](int y, int x) YOKE_INLINED { return load(pixels[y][x]); },
        [&](int y, int x, Floats lanes)
            YOKE_INLINED { store(lanes, to + ((y * F::kSide + x) * channels + c) * kLanes); });
  }
}

YOKE_VECTORISE void transform_tiles(const float* framed, std::int64_t images,
                                    const NarrowTiles& to) {
  const Frames frames(to.grid);
  const std::int64_t tiles = images * to.grid.per_image();
  for (std::int64_t first = 0; first < tiles; first += kLanes) {
    const float* from[kLanes];
    for (std::int64_t i = 0; i < kLanes; ++i) {  // the last one again for those after it
      const Place place = winograd::place_of(std::min(first + i, tiles - 1), to.grid);
      from[i] =
          framed + place.image * to.channels * frames.plane() + place.y * frames.columns + place.x;
    }
    winograd::with_transforms(to.grid.taps, [&](auto f) YOKE_INLINED {
      transform_sixteen(f, from, to.channels, frames, to.data + first * to.floats_of_tile());
    });
  }
}

YOKE_VECTORISE void frame_floats(const float* from, std::int64_t planes, const ImageShape& shape,
                                 std::int64_t pad_y, std::int64_t pad_x, const Frames& frames,
                                 float* to) {
  frame_planes(from, planes, shape, pad_y, pad_x, frames, to);
}
YOKE_VECTORISE void frame_bf16(const BFloat16* from, std::int64_t planes, const ImageShape& shape,
                               std::int64_t pad_y, std::int64_t pad_x, const Frames& frames,
                               float* to) {
  frame_planes(from, planes, shape, pad_y, pad_x, frames, to);
}

}  // namespace

std::int64_t NarrowTiles::frame_floats(std::int64_t images) const {
  return images * channels * Frames(grid).plane();
}

void winograd_narrow_input(const Tensor& input, std::int64_t pad_y, std::int64_t pad_x,
                           float* frames, const NarrowTiles& to) {
  const std::int64_t planes = input.batch * input.shape.channels;
  const Frames framed(to.grid);
  input.is_bf16()
      ? frame_bf16(input.data<BFloat16>(), planes, input.shape, pad_y, pad_x, framed, frames)
      : frame_floats(input.data<float>(), planes, input.shape, pad_y, pad_x, framed, frames);
  transform_tiles(frames, input.batch, to);
}

}  // namespace yoke::compiled
