// tests/data/colour_ops_test.cpp: changes of colours, sharpness and levels, by hand; and against
// torchvision in augment_operations_test.cpp.
#include "yoke/data/transforms/colour_ops.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/data/random_pixels.h"
#include "yoke/data/transforms/equalize.h"
#include "yoke/data/transforms/sharpness.h"

namespace yoke {
namespace {

using ::testing::ElementsAre;
using Pixels = std::vector<std::uint8_t>;

template <typename Change>
Pixels changed(const Pixels& pixels, const Change& change) {
  Pixels output(pixels.size(), 7);
  change(pixels, output);
  return output;
}

TEST(AdjustBrightness, MultipliesAndCuts) {
  const auto brighter = [](const auto& input, auto& output) {
    adjust_brightness({1, 1, 4}, 1.5, input, output);
  };
  EXPECT_THAT(changed({0, 3, 170, 171}, brighter), ElementsAre(0, 4, 255, 255));
}

TEST(AdjustSaturation, MovesColoursFromTheirGreyAndLeavesGreyImages) {
  // The grey of (200, 100, 0) is 59.78 + 58.7 = 118.48, rounded down.
  const auto times = [](double factor) {
    return [factor](const auto& input, auto& output) {
      adjust_saturation({3, 1, 1}, factor, input, output);
    };
  };
  EXPECT_THAT(changed({200, 100, 0}, times(0)), ElementsAre(118, 118, 118));
  EXPECT_THAT(changed({200, 100, 0}, times(0.5)), ElementsAre(159, 109, 59));
  const auto grey = [](const auto& input, auto& output) {
    adjust_saturation({1, 1, 3}, 0.5, input, output);
  };
  EXPECT_THAT(changed({200, 100, 0}, grey), ElementsAre(200, 100, 0));
}

TEST(AdjustContrast, MovesPixelsFromTheMeanGreyAtAnySize) {
  for (const std::int64_t width : {1, 17, 4096, 9001}) {
    const auto pixels = test::random_pixels({3, 1, width});
    double sum = 0;
    for (std::size_t i = 0; i < pixels.size() / 3; ++i) {
      const std::size_t plane = pixels.size() / 3;
      sum += static_cast<int>(0.2989F * pixels[i] + 0.587F * pixels[plane + i] +
                              0.114F * pixels[2 * plane + i]);
    }
    const double mean = sum / static_cast<double>(width);
    const auto found = changed(pixels, [&](const auto& input, auto& output) {
      adjust_contrast({3, 1, width}, 0.25, input, output);
    });
    for (std::size_t i = 0; i < found.size(); ++i) {
      // Rounded down from fp32, which may lie on the other side of a whole number.
      EXPECT_NEAR(found[i], 0.25 * pixels[i] + 0.75 * mean - 0.5, 0.5 + 1e-3) << i;
    }
  }
}

TEST(Posterize, KeepsTheHighestBits) {
  const auto to = [](int bits) {
    return [bits](const auto& input, auto& output) { posterize(bits, input, output); };
  };
  EXPECT_THAT(changed({0, 63, 64, 255}, to(2)), ElementsAre(0, 0, 64, 192));
  EXPECT_THAT(changed({0, 63, 64, 255}, to(8)), ElementsAre(0, 63, 64, 255));
}

TEST(Solarize, InvertsFromTheThresholdOn) {
  const auto from = [](double threshold) {
    return [threshold](const auto& input, auto& output) { solarize(threshold, input, output); };
  };
  EXPECT_THAT(changed({0, 127, 128, 255}, from(127.5)), ElementsAre(0, 127, 127, 0));
  EXPECT_THAT(changed({0, 254, 255}, from(255)), ElementsAre(0, 254, 0));
  EXPECT_THAT(changed({0, 255}, from(0)), ElementsAre(255, 0));
}

TEST(Autocontrast, StretchesEachChannelAndLeavesOneOfASingleValue) {
  const auto stretched = [](const auto& input, auto& output) {
    autocontrast({2, 1, 3}, input, output);
  };
  EXPECT_THAT(changed({50, 75, 100, 9, 9, 9}, stretched), ElementsAre(0, 127, 255, 9, 9, 9));
}

TEST(AdjustSharpness, MovesInnerPixelsFromTheMeanAroundThem) {
  const auto sharper = [](const ImageShape& shape) {
    return [shape](const auto& input, auto& output) { adjust_sharpness(shape, 2, input, output); };
  };
  // (8 * 10 + 5 * 51) / 13 is nearly 26; 51 is moved as far from it once more.
  EXPECT_THAT(changed({10, 10, 10, 10, 51, 10, 10, 10, 10}, sharper({1, 3, 3})),
              ElementsAre(10, 10, 10, 10, 76, 10, 10, 10, 10));
  EXPECT_THAT(changed({10, 49, 10, 10, 49, 10}, sharper({1, 2, 3})),
              ElementsAre(10, 49, 10, 10, 49, 10));
}

TEST(Equalize, SpreadsLevelsByHowFrequentTheyAre) {
  // 1,020 pixels but the 255 brightest are 765, so 3 are a level of the result.
  Pixels pixels(1020, 200);
  std::fill_n(pixels.begin(), 509, std::uint8_t{10});
  std::fill_n(pixels.begin() + 509, 256, std::uint8_t{11});
  const auto equal = [](std::int64_t width) {
    return [width](const auto& input, auto& output) { equalize({1, 1, width}, input, output); };
  };
  const auto found = changed(pixels, equal(1020));
  EXPECT_EQ(found[0], 0);       // nothing is below
  EXPECT_EQ(found[509], 170);   // (509 + 1) / 3
  EXPECT_EQ(found[1019], 255);  // (765 + 1) / 3
  EXPECT_THAT(changed({5, 5, 5}, equal(3)), ElementsAre(5, 5, 5));
}

}  // namespace
}  // namespace yoke
