#include "yoke/data/formats/jpeg_write.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "yoke/core/error.h"
#include "yoke/data/formats/encoded_image.h"

namespace yoke {
namespace {

/// A slope of every channel its own.
std::vector<std::uint8_t> slopes(const ImageShape& shape) {
  std::vector<std::uint8_t> pixels;
  for (std::int64_t c = 0; c < shape.channels; ++c) {
    for (std::int64_t y = 0; y < shape.height; ++y) {
      for (std::int64_t x = 0; x < shape.width; ++x) {
        pixels.push_back(static_cast<std::uint8_t>(40 + 50 * c + 2 * x + y));
      }
    }
  }
  return pixels;
}

TEST(WriteJpeg, IsReadBackNearlyAsItWas) {
  for (const std::int64_t channels : {1, 3}) {
    const ImageShape shape{channels, 17, 23};
    const auto pixels = slopes(shape);
    const auto file = write_jpeg(pixels, shape, 95);
    const auto image = open_image(file);
    ASSERT_EQ(image->height(), 17);
    ASSERT_EQ(image->width(), 23);
    const Raster found = image->decode({.width = 23, .height = 17}, 17, 23);
    for (std::int64_t i = 0; i < 17 * 23; ++i) {
      for (std::int64_t c = 0; c < 3; ++c) {
        const auto at = static_cast<std::size_t>((channels == 3 ? c : 0) * 17 * 23 + i);
        EXPECT_LE(std::abs(int{found.pixels[3 * i + c]} - int{pixels[at]}), 8) << i << " " << c;
      }
    }
  }
}

TEST(WriteJpeg, RefusesWhatIsNoPicture) {
  EXPECT_THROW(write_jpeg(std::vector<std::uint8_t>(8), {2, 2, 2}), Error);
  EXPECT_THROW(write_jpeg(std::vector<std::uint8_t>(11), {3, 2, 2}), Error);
  EXPECT_THROW(write_jpeg({}, {3, 0, 5}), Error);
}

}  // namespace
}  // namespace yoke
