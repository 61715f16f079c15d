#include "yoke/data/transforms/sharpness.h"

#include <algorithm>
#include <vector>

#include "yoke/core/vectorise.h"
#include "yoke/data/transforms/blend.h"

namespace yoke {
namespace {

/// The inner pixels of a row of `width` pixels.
YOKE_VECTORISE
void smooth(const std::uint8_t* __restrict above, const std::uint8_t* __restrict row,
            const std::uint8_t* __restrict below, std::size_t width,
            std::uint8_t* __restrict output) {
  for (std::size_t x = 1; x + 1 < width; ++x) {
    const int sum = above[x - 1] + above[x] + above[x + 1] + row[x - 1] + 5 * row[x] + row[x + 1] +
                    below[x - 1] + below[x] + below[x + 1];
    output[x] = static_cast<std::uint8_t>(static_cast<std::uint16_t>(sum + 6) / 13);
  }
}

}  // namespace

void adjust_sharpness(const ImageShape& shape, double factor, std::span<const std::uint8_t> input,
                      std::span<std::uint8_t> output) {
  if (shape.height < 3 || shape.width < 3) {
    std::ranges::copy(input, output.begin());
    return;
  }
  const auto height = static_cast<std::size_t>(shape.height);
  const auto width = static_cast<std::size_t>(shape.width);
  std::vector<std::uint8_t> smoothed(width);
  for (std::size_t place = 0; place < input.size(); place += width) {
    const auto row = input.subspan(place, width);
    const std::size_t y = place / width % height;
    std::ranges::copy(row, smoothed.begin());
    if (y > 0 && y + 1 < height) {
      smooth(row.data() - width, row.data(), row.data() + width, width, smoothed.data());
    }
    blend(row, smoothed, factor, output.subspan(place, width));
  }
}

}  // namespace yoke
