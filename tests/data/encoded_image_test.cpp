// tests/data/encoded_image_test.cpp: JPEG and PNG of every kind, and damaged ones.
#include "yoke/data/formats/encoded_image.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "tests/data/image_files.h"
#include "yoke/core/random.h"
#include "yoke/data/transforms/crop_image.h"

namespace yoke {
namespace {

using test::JpegOptions;
using test::Picture;

/// The whole image, as large as it is.
Raster decode(const std::string& file) {
  const auto image = open_image(test::bytes_of(file));
  const Crop all{.width = static_cast<double>(image->width()),
                 .height = static_cast<double>(image->height())};
  return image->decode(all, image->height(), image->width());
}

double mean_difference(const Raster& raster, const Picture& expected) {
  double sum = 0;
  for (int y = 0; y < expected.height; ++y) {
    for (int x = 0; x < expected.width; ++x) {
      for (int c = 0; c < 3; ++c) {
        const int wanted = expected.at(y, x, expected.channels == 1 ? 0 : c);
        sum += std::abs(raster.pixels[(y * raster.width + x) * 3 + c] - wanted);
      }
    }
  }
  return sum / (3.0 * expected.height * expected.width);
}

// Compression at quality 90 moves a smooth picture by one or two levels; wrong channels, rows or
// inversion move it by tens.
constexpr double kOfQuality90 = 3;

TEST(Jpeg, DecodesEverySamplingOfChroma) {
  const std::array<std::pair<int, int>, 5> samplings = {{{1, 1}, {2, 1}, {2, 2}, {1, 2}, {4, 1}}};
  for (const auto& [horizontal, vertical] : samplings) {
    for (const bool progressive : {false, true}) {
      SCOPED_TRACE(fmt::format("{}x{} progressive {}", horizontal, vertical, progressive));
      const Picture image = test::picture(61, 83);
      const Raster raster = decode(test::jpeg_file(
          image, {.horizontal = horizontal, .vertical = vertical, .progressive = progressive}));
      ASSERT_EQ(raster.height, 61);
      ASSERT_EQ(raster.width, 83);
      EXPECT_LT(mean_difference(raster, image), kOfQuality90);
    }
  }
}

TEST(Jpeg, DecodesGreyAsEqualChannels) {
  for (const bool progressive : {false, true}) {
    const Picture image = test::picture(17, 40, 1);
    EXPECT_LT(mean_difference(decode(test::jpeg_file(image, {.progressive = progressive})), image),
              kOfQuality90);
  }
}

TEST(Jpeg, DecodesCmykInvertedAsAdobeWritesItAndNot) {
  const Picture rgb = test::picture(33, 47);
  for (const bool adobe : {true, false}) {
    Picture cmyk{.height = rgb.height, .width = rgb.width, .channels = 4};
    for (std::size_t i = 0; i < rgb.pixels.size(); ++i) {
      const std::uint8_t light = rgb.pixels[i];
      cmyk.pixels.push_back(adobe ? light : static_cast<std::uint8_t>(255 - light));
      if (i % 3 == 2) cmyk.pixels.push_back(adobe ? 255 : 0);  // no black
    }
    EXPECT_LT(mean_difference(decode(test::jpeg_file(cmyk, {.adobe = adobe})), rgb), kOfQuality90);
  }
}

TEST(Jpeg, DecodesTheSamePixelsOfAPartAsOfTheWhole) {
  for (const bool progressive : {false, true}) {
    for (const int sampling : {1, 2}) {
      const std::string file = test::jpeg_file(
          test::picture(200, 300),
          {.horizontal = sampling, .vertical = sampling, .progressive = progressive});
      const Raster whole = decode(file);
      const Crop crop{.left = 101, .top = 37, .width = 60, .height = 51};
      const Raster part = open_image(test::bytes_of(file))->decode(crop, 51, 60);
      EXPECT_LT(part.width, 110);
      EXPECT_LT(part.height, 60);
      for (std::int64_t y = 37; y < 37 + 51; ++y) {
        for (std::int64_t i = 303; i < 483; ++i) {  // three values a pixel
          const auto in_part = (y - part.top) * part.width * 3 + i - 3 * part.left;
          ASSERT_EQ(part.pixels[in_part], whole.pixels[y * whole.width * 3 + i])
              << "row " << y << " column " << i / 3;
        }
      }
    }
  }
}

TEST(Jpeg, DecodesAtTheLeastScaleThatHasThePixels) {
  const std::string file = test::jpeg_file(test::picture(400, 800));
  const auto scale = [&](double height, double width) {
    return open_image(test::bytes_of(file))
        ->decode({.width = width, .height = height}, 50, 100)
        .scale;
  };
  EXPECT_EQ(scale(400, 800), 1.0 / 8);
  EXPECT_EQ(scale(399, 800), 1.0 / 4);
  EXPECT_EQ(scale(200, 200), 1.0 / 2);
  EXPECT_EQ(scale(99, 400), 1);
  EXPECT_EQ(scale(20, 20), 1);
}

TEST(Jpeg, TellsHowTheCameraWasHeld) {
  const Picture image = test::picture(48, 80);
  const ImageShape upright{3, 48, 80}, turned{3, 80, 48};
  const auto whole = [](std::int64_t height, std::int64_t width) {
    return Crop{.width = static_cast<double>(width), .height = static_cast<double>(height)};
  };
  // Where the stored upper left and upper right corners come to be, by Exif's table.
  const std::array<std::array<bool, 4>, 9> corners = {{{},
                                                       {false, false, false, true},
                                                       {false, true, false, false},
                                                       {true, true, true, false},
                                                       {true, false, true, true},
                                                       {false, false, true, false},
                                                       {false, true, true, true},
                                                       {true, true, false, true},
                                                       {true, false, false, false}}};
  for (int orientation = 1; orientation <= 8; ++orientation) {
    SCOPED_TRACE(orientation);
    const ImageShape& shape = orientation > 4 ? turned : upright;
    std::vector<std::uint8_t> pixels(static_cast<std::size_t>(shape.elements()));
    crop_image(test::bytes_of(test::jpeg_file(image, {.orientation = orientation})), whole, shape,
               pixels);
    const auto& [bottom, right, other_bottom, other_right] = corners[orientation];
    const auto expect_corner = [&](bool low, bool far, int stored_x) {
      for (std::int64_t c = 0; c < 3; ++c) {
        const std::int64_t y = low ? shape.height - 1 : 0, x = far ? shape.width - 1 : 0;
        EXPECT_NEAR(pixels[(c * shape.height + y) * shape.width + x],
                    image.at(0, stored_x, static_cast<int>(c)), 12);
      }
    };
    expect_corner(bottom, right, 0);
    expect_corner(other_bottom, other_right, image.width - 1);
  }
}

TEST(Png, DecodesEveryColourTypeDepthAndInterlacing) {
  const Picture rgb = test::picture(23, 31), grey = test::picture(23, 31, 1);
  const Picture rgba = test::picture(23, 31, 4), grey_alpha = test::picture(23, 31, 2);
  for (const bool interlaced : {false, true}) {
    for (const int depth : {8, 16}) {
      EXPECT_EQ(mean_difference(decode(png_file(rgb, PNG_COLOR_TYPE_RGB, depth, interlaced)), rgb),
                0);
      EXPECT_EQ(
          mean_difference(decode(png_file(grey, PNG_COLOR_TYPE_GRAY, depth, interlaced)), grey), 0);
      EXPECT_EQ(
          mean_difference(decode(png_file(rgba, PNG_COLOR_TYPE_RGBA, depth, interlaced)), rgba), 0);
      const auto decoded = decode(png_file(grey_alpha, PNG_COLOR_TYPE_GA, depth, interlaced));
      EXPECT_EQ(decoded.pixels[0], grey_alpha.pixels[0]);
      EXPECT_EQ(decoded.pixels[2], grey_alpha.pixels[0]);
    }
    const Raster colours = decode(png_file(grey, PNG_COLOR_TYPE_PALETTE, 8, interlaced));
    for (std::size_t i = 0; i < grey.pixels.size(); ++i) {
      ASSERT_EQ(colours.pixels[3 * i], grey.pixels[i]);
      ASSERT_EQ(colours.pixels[3 * i + 1], 255 - grey.pixels[i]);
    }
  }
}

TEST(EncodedImage, RefusesWhatIsNoImage) {
  for (const std::string& file : {std::string(), std::string("\xff"), std::string("text"),
                                  std::string("\xff\xd8\xff"), std::string("\x89PNG")}) {
    EXPECT_THROW(decode(file), DamagedImage);
  }
}

TEST(EncodedImage, RefusesAHeaderThatDeclaresTooManyPixels) {
  std::string jpeg = test::jpeg_file(test::picture(16, 16, 1));
  const auto frame = jpeg.find("\xff\xc0");
  for (const std::size_t place : {frame + 5, frame + 7}) jpeg.replace(place, 2, "\xfe\xfe");
  EXPECT_THAT([&] { decode(jpeg); },
              testing::ThrowsMessage<DamagedImage>(testing::HasSubstr("65278x65278")));
}

TEST(EncodedImage, RefusesAFileOfThousandsOfScans) {
  const std::string file = test::jpeg_file(test::picture(16, 16), {.progressive = true});
  // The first scan says the same however often; tables for the second follow it.
  const auto first = file.find("\xff\xda"), second = file.find("\xff\xc4", first);
  std::string long_one = file.substr(0, first);
  for (int i = 0; i < 2000; ++i) long_one += file.substr(first, second - first);
  EXPECT_THAT([&] { decode(long_one + file.substr(second)); },
              testing::ThrowsMessage<DamagedImage>(testing::HasSubstr("more than 100 scans")));
}

std::vector<std::string> files() {
  const Picture image = test::picture(40, 56);
  return {test::jpeg_file(image),
          test::jpeg_file(image, {.progressive = true}),
          test::jpeg_file(test::picture(40, 56, 1)),
          test::jpeg_file(test::picture(40, 56, 4)),
          test::jpeg_file(image, {.orientation = 6}),
          test::png_file(image),
          test::png_file(image, PNG_COLOR_TYPE_RGB, 8, true)};
}

TEST(EncodedImage, FindsEveryTruncatedFileDamaged) {
  for (const std::string& file : files()) {
    // The last bytes only say that nothing follows: 2 of a JPEG, 12 of a PNG and some of zlib's.
    for (std::size_t size = 0; size + 24 < file.size(); size += 1 + size / 40) {
      EXPECT_THROW(decode(file.substr(0, size)), DamagedImage) << size << " of " << file.size();
    }
  }
}

TEST(EncodedImage, SurvivesAnyChangedBytes) {
  std::size_t damaged = 0, decoded = 0;
  std::uint64_t number = 0;
  for (const std::string& file : files()) {
    for (int trial = 0; trial < 400; ++trial) {
      RandomStream random(7, 0, number++, Purpose::kTest);
      std::string changed = file;
      // Half of the changes go into the header, which is short.
      const std::uint64_t reach = trial % 2 == 0 ? 200 : changed.size();
      for (std::uint64_t i = 0; i <= random.below(4); ++i) {
        changed[random.below(std::min<std::uint64_t>(reach, changed.size()))] =
            static_cast<char>(random.below(256));
      }
      const auto image_part = [&](std::int64_t height, std::int64_t width) {
        const auto rows = static_cast<double>(height), columns = static_cast<double>(width);
        return Crop{columns / 3, rows / 3, columns / 2, rows / 2};
      };
      try {
        std::vector<std::uint8_t> pixels(std::size_t{3} * 20 * 10);
        crop_image(test::bytes_of(changed), image_part, {3, 20, 10}, pixels);
        ++decoded;
      } catch (const DamagedImage&) {
        ++damaged;
      }
    }
  }
  EXPECT_GT(damaged, 100);
  EXPECT_GT(decoded, 100);
}

}  // namespace
}  // namespace yoke
