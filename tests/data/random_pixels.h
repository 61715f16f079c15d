// tests/data/random_pixels.h: images of noise.
#pragma once
#include <cstdint>
#include <vector>

#include "yoke/core/image_shape.h"
#include "yoke/core/random.h"

namespace yoke::test {

/// uint8 [C, H, W] of `shape`, with `levels` grey levels from `least` on, all equally likely.
inline std::vector<std::uint8_t> random_pixels(const ImageShape& shape, std::uint64_t number = 0,
                                               std::uint64_t levels = 256, int least = 0) {
  RandomStream random(1, 0, number, Purpose::kTest);
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(shape.elements()));
  for (auto& pixel : pixels) pixel = static_cast<std::uint8_t>(least + random.below(levels));
  return pixels;
}

}  // namespace yoke::test
