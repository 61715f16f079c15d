// yoke/data/formats/orientation.h: how a camera was held, as Exif tells it.
#pragma once
#include <cstdint>
#include <span>

#include "yoke/data/formats/raster.h"

namespace yoke {

/// How stored pixels lie in the upright image: upright pixel (y, x) is stored in row y and column
/// x, or with `transposed` in row x and column y; rows or columns counted from the other end where
/// they are flipped.
struct Orientation {
  bool transposed = false;
  bool rows_flipped = false;
  bool columns_flipped = false;

  bool upright() const { return !transposed && !rows_flipped && !columns_flipped; }
};

/// Of a JPEG's APP1 marker (Exif 2.3, tag 0x0112); upright where it tells nothing valid.
Orientation exif_orientation(std::span<const std::uint8_t> marker);

/// Where `crop` of the upright image lies in the stored image of `height` x `width`.
Crop stored_crop(const Crop& crop, const Orientation& orientation, std::int64_t height,
                 std::int64_t width);

/// Turns stored planes uint8 [channels, height, width] upright, into [channels, width, height]
/// where they are transposed.
void turn_upright(const std::uint8_t* stored, std::int64_t channels, std::int64_t height,
                  std::int64_t width, const Orientation& orientation, std::uint8_t* upright);

}  // namespace yoke
