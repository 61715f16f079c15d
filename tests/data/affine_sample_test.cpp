#include "yoke/data/transforms/affine_sample.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "tests/data/random_pixels.h"

namespace yoke {
namespace {

using Pixels = std::vector<std::uint8_t>;

Pixels moved(const ImageShape& shape, const Affine& change, const Pixels& pixels) {
  Pixels output(pixels.size(), 7);
  affine_sample(shape, inverse_affine_matrix(change), pixels, output);
  return output;
}

/// Each output pixel is the one of `pixels` that `source(y, x)` names, or 0 outside.
template <typename Source>
Pixels plain(const ImageShape& shape, const Pixels& pixels, const Source& source) {
  Pixels output;
  for (std::int64_t c = 0; c < shape.channels; ++c) {
    for (std::int64_t y = 0; y < shape.height; ++y) {
      for (std::int64_t x = 0; x < shape.width; ++x) {
        const auto [row, column] = source(y, x);
        const bool inside = row >= 0 && row < shape.height && column >= 0 && column < shape.width;
        const std::int64_t place = (c * shape.height + row) * shape.width + column;
        output.push_back(inside ? pixels[static_cast<std::size_t>(place)] : std::uint8_t{0});
      }
    }
  }
  return output;
}

using Place = std::pair<std::int64_t, std::int64_t>;

TEST(AffineSample, TranslatesByWholePixelsAtAnySize) {
  for (const ImageShape& shape :
       {ImageShape{1, 1, 1}, {3, 17, 1}, {1, 1, 17}, {2, 5, 31}, {3, 224, 33}}) {
    const auto pixels = test::random_pixels(shape);
    for (const std::int64_t right : {0, 1, -3, 16, -40}) {
      for (const std::int64_t down : {0, -1, 4, 300}) {
        const Point by{.x = static_cast<double>(right), .y = static_cast<double>(down)};
        EXPECT_EQ(moved(shape, {.translate = by}, pixels),
                  plain(shape, pixels,
                        [&](auto y, auto x) {
                          return Place{y - down, x - right};
                        }))
            << shape.str() << " by " << right << " and " << down;
      }
    }
  }
}

TEST(AffineSample, TurnsByAQuarterClockwise) {
  const ImageShape shape{3, 32, 32};
  const auto pixels = test::random_pixels(shape);
  EXPECT_EQ(moved(shape, {.angle = 90}, pixels), plain(shape, pixels, [](auto y, auto x) {
              return Place{31 - x, y};
            }));
}

TEST(AffineSample, ShearsAgainstTheAxisFromTheTopLeft) {
  const ImageShape shape{1, 16, 12};
  const auto pixels = test::random_pixels(shape);
  // By 45 degrees the middle of row y, at y + 1/2, moves by as much: the source lies between two
  // pixels, so that 44 degrees say which of the two it is.
  const auto found = moved(shape, {.shear = {.x = 44}, .center = {.x = -6, .y = -8}}, pixels);
  EXPECT_EQ(found, plain(shape, pixels, [](auto y, auto x) {
              const double by = 0.9656887748 * (static_cast<double>(y) + 0.5);  // tan 44
              return Place{y, x + static_cast<std::int64_t>(std::nearbyint(by))};
            }));
}

}  // namespace
}  // namespace yoke
