// yoke/data/transforms/crop_and_flip.h: where a crop after zero padding and a flip put pixels.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "yoke/core/image_shape.h"
#include "yoke/core/random.h"
#include "yoke/data/transforms/augmentation.h"

namespace yoke {

/// Output pixel (y, x) is stored pixel (y + down, x + right), mirrored left to right after that.
struct CropAndFlip {
  std::int64_t down = 0;
  std::int64_t right = 0;
  bool flip = false;

  bool trivial() const { return down == 0 && right == 0 && !flip; }
};

/// Draws the crop's top, its left, then the flip; each only where `augmentation` asks for it.
CropAndFlip draw_crop_and_flip(const Augmentation& augmentation, RandomStream& random);

/// Writes `convert(pixel)` for each pixel of a row, mirrored if `flip`.
template <typename Value, typename Convert>
void convert_row(const std::uint8_t* __restrict row, std::int64_t count, bool flip,
                 const Convert& convert, Value* __restrict output) {
  if (flip) {
    for (std::int64_t i = 0; i < count; ++i) output[i] = convert(row[count - 1 - i]);
  } else {
    for (std::int64_t i = 0; i < count; ++i) output[i] = convert(row[i]);
  }
}

/// Fills a plane `output` of `shape` with `convert(pixel)` for each pixel of the stored plane that
/// is placed in it, and for the black ones around it.
template <typename Value, typename Convert>
void place_plane(const std::uint8_t* stored, const ImageShape& shape, const CropAndFlip& placement,
                 const Convert& convert, Value* output) {
  const std::int64_t height = shape.height, width = shape.width;
  const std::int64_t count = width - std::abs(placement.right);
  const std::int64_t source = std::max<std::int64_t>(placement.right, 0);
  const std::int64_t before = std::max<std::int64_t>(-placement.right, 0);
  const std::int64_t start = placement.flip ? width - count - before : before;
  const Value black = convert(std::uint8_t{0});
  for (std::int64_t y = 0; y < height; ++y, output += width) {
    const std::int64_t row = y + placement.down;
    if (row < 0 || row >= height) {
      std::fill_n(output, width, black);
      continue;
    }
    std::fill_n(output, start, black);
    convert_row(stored + row * width + source, count, placement.flip, convert, output + start);
    std::fill(output + start + count, output + width, black);
  }
}

}  // namespace yoke
