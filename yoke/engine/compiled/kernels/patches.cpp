#include "yoke/engine/compiled/kernels/patches.h"

#include <algorithm>

#include "yoke/core/vectorise.h"
#include "yoke/engine/compiled/kernels/lanes.h"
#include "yoke/engine/compiled/kernels/windows.h"

namespace yoke::compiled {
namespace {

YOKE_INLINE void copy_some(const BFloat16* from, std::int64_t count, BFloat16* to) {
  if (count >= kLanes) {
    std::memcpy(to, from, kLanes * sizeof(BFloat16));
  } else {
    std::copy_n(from, count, to);
  }
}

/// One row of windows at one tap: every `stride`-th pixel. Writes whole vectors, past
/// the end of the row; reads no further than `limit`.
YOKE_INLINE void copy_row(const BFloat16* from, const BFloat16* limit, std::int64_t count,
                          std::int64_t stride, BFloat16* to) {
  if (stride == 1) {
    for (std::int64_t i = 0; i < count; i += kLanes) {
      copy_some(from + i, std::min<std::int64_t>(kLanes, limit - from - i), to + i);
    }
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) to[i] = from[i * stride];
}

/// What gather() walks through for one tap.
struct Tap {
  std::int64_t channel, y, x;
  Inside columns;
};

YOKE_INLINE void gather_tap(const BFloat16* input, std::int64_t images, const PatchGeometry& g,
                            const Tap& tap, BFloat16* to) {
  const std::int64_t plane_size = g.image.height * g.image.width;
  const BFloat16* const limit = input + images * g.image.channels * plane_size;
  for (std::int64_t n = 0; n < images; ++n) {
    const BFloat16* const plane = input + (n * g.image.channels + tap.channel) * plane_size;
    for (std::int64_t row = 0; row < g.out_height; ++row, to += g.out_width) {
      const std::int64_t y = row * g.stride_y + tap.y;
      if (y < 0 || y >= g.image.height) {
        std::fill_n(to, g.out_width, BFloat16{0});
        continue;
      }
      const auto& [begin, end] = tap.columns;
      if (begin > 0) std::fill_n(to, begin, BFloat16{0});
      copy_row(plane + y * g.image.width + begin * g.stride_x + tap.x, limit, end - begin,
               g.stride_x, to + begin);
      if (end < g.out_width) std::fill(to + end, to + g.out_width, BFloat16{0});
    }
  }
}

YOKE_VECTORISE void gather(const BFloat16* input, std::int64_t images, const PatchGeometry& g,
                           BFloat16* patches) {
  // In order, for each row of windows is written over by what the one before wrote past its end.
  for (std::int64_t i = 0; i < g.taps(); ++i) {
    const std::int64_t x = i % g.kernel_width * g.dilation_x - g.pad_x;
    const std::int64_t y = i / g.kernel_width % g.kernel_height * g.dilation_y - g.pad_y;
    const Tap tap{i / (g.kernel_width * g.kernel_height), y, x,
                  find_inside(g.out_width, g.stride_x, x, g.image.width)};
    gather_tap(input, images, g, tap, patches + i * images * g.windows());
  }
  constexpr BFloat16 kOne{0x3f80};
  std::fill_n(patches + g.taps() * images * g.windows(), images * g.windows(), kOne);
}

}  // namespace

std::size_t patch_bytes(const PatchGeometry& geometry, std::int64_t images) {
  return static_cast<std::size_t>(geometry.rows() * images * geometry.windows() + kLanes) *
         sizeof(BFloat16);
}

void gather_patches(const std::uint16_t* input, std::int64_t images, const PatchGeometry& geometry,
                    std::uint16_t* patches) {
  gather(reinterpret_cast<const BFloat16*>(input), images, geometry,
         reinterpret_cast<BFloat16*>(patches));
}

}  // namespace yoke::compiled
