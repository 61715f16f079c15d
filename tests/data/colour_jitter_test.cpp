#include "yoke/data/transforms/colour_jitter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

namespace yoke {
namespace {

std::vector<std::uint8_t> random_image(std::int64_t pixels, std::uint64_t number) {
  RandomStream random(1, 0, number, Purpose::kTest);
  std::vector<std::uint8_t> image(static_cast<std::size_t>(3 * pixels));
  for (auto& value : image) value = static_cast<std::uint8_t>(random.below(256));
  return image;
}

RandomStream stream(std::uint64_t number) { return {2, 0, number, Purpose::kTest}; }

std::vector<std::uint8_t> jittered(const ColourJitter& most, std::vector<std::uint8_t> image,
                                   std::uint64_t number) {
  RandomStream random = stream(number);
  jitter(most, random, static_cast<std::int64_t>(image.size() / 3), image.data());
  return image;
}

double grey(double red, double green, double blue) {
  return 0.299 * red + 0.587 * green + 0.114 * blue;
}

/// The definitions of torchvision's documentation one after the other, without rounding between.
std::vector<std::uint8_t> plain(const std::vector<std::uint8_t>& image, double brightness,
                                double contrast, double saturation) {
  const std::size_t pixels = image.size() / 3;
  std::vector<double> values(image.begin(), image.end());
  for (double& value : values) value *= brightness;
  const auto grey_of = [&](std::size_t i) {
    return grey(values[i], values[pixels + i], values[2 * pixels + i]);
  };
  double mean = 0;
  for (std::size_t i = 0; i < pixels; ++i) mean += grey_of(i) / static_cast<double>(pixels);
  for (double& value : values) value = contrast * value + (1 - contrast) * mean;
  for (std::size_t i = 0; i < pixels; ++i) {
    const double own = grey_of(i);
    for (std::size_t c = 0; c < 3; ++c) {
      double& value = values[c * pixels + i];
      value = saturation * value + (1 - saturation) * own;
    }
  }
  std::vector<std::uint8_t> result;
  for (const double value : values) {
    result.push_back(static_cast<std::uint8_t>(std::clamp(std::round(value), 0.0, 255.0)));
  }
  return result;
}

TEST(ColourJitter, EqualsItsChangesOneAfterTheOtherAtAnySize) {
  const ColourJitter most{.brightness = 0.4, .contrast = 0.5, .saturation = 0.6};
  for (const std::int64_t pixels : {1, 17, 224, 4096, 5000}) {
    const auto image = random_image(pixels, static_cast<std::uint64_t>(pixels));
    RandomStream random = stream(7);
    const double brightness = random.uniform(0.6, 1.4);
    const double contrast = random.uniform(0.5, 1.5);
    const double saturation = random.uniform(0.4, 1.6);
    const auto expected = plain(image, brightness, contrast, saturation);
    const auto found = jittered(most, image, 7);
    for (std::size_t i = 0; i < found.size(); ++i) {
      ASSERT_NEAR(found[i], expected[i], 1) << i << " of " << pixels;  // fp32, just at a half
    }
  }
}

TEST(ColourJitter, TurnsHuesAroundGreys) {
  // A third of the circle makes green of red; a draw may fall on either side.
  std::vector<std::uint8_t> image = {200, 90, 0, 90, 0, 90};  // pixels (200, 0, 0), (90, 90, 90)
  bool changed = false;
  for (std::uint64_t number = 0; number < 20; ++number) {
    const auto turned = jittered({.hue = 0.5}, image, number);
    for (const std::size_t c : {0U, 1U, 2U}) EXPECT_EQ(turned[2 * c + 1], 90);
    changed = changed || turned[0] < 100;
    RandomStream random = stream(number);
    const double turns = random.uniform(-0.5, 0.5);
    // Red is the cosine of its angle around the axis, greys aside.
    const double expected = 200.0 / 3 * (1 + 2 * std::cos(2 * 3.14159265358979 * turns));
    EXPECT_NEAR(turned[0], std::clamp(expected, 0.0, 255.0), 1);
  }
  EXPECT_TRUE(changed);
  const std::vector<std::uint8_t> red = {255, 0, 0};
  RandomStream random = stream(0);
  const double turns = random.uniform(-0.5, 0.5);
  const auto turned = jittered({.hue = 0.5}, red, 0);
  // Turning forward goes from red to green, as in a colour circle.
  EXPECT_EQ(turned[1] > turned[2], turns > 0);
}

TEST(ColourJitter, ChangesNothingAndDrawsNothingWhenOff) {
  auto image = random_image(100, 1);
  const auto before = image;
  RandomStream random = stream(3), other = stream(3);
  jitter({}, random, 100, image.data());
  EXPECT_EQ(image, before);
  EXPECT_EQ(random.next_64(), other.next_64());
}

}  // namespace
}  // namespace yoke
