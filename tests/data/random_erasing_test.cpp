#include "yoke/data/transforms/random_erasing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

namespace yoke {
namespace {

/// What of an image was erased.
struct Box {
  std::int64_t top, left, height, width;
};

/// Of an image of ones; nothing where none is erased. Fails where it is no rectangle of all
/// channels.
std::optional<Box> erased(const ImageShape& shape, const std::vector<float>& image) {
  std::int64_t top = shape.height, left = shape.width, bottom = -1, right = -1, count = 0;
  for (std::int64_t i = 0; i < shape.elements(); ++i) {
    if (image[static_cast<std::size_t>(i)] != 0) continue;
    const std::int64_t y = i / shape.width % shape.height, x = i % shape.width;
    top = std::min(top, y), bottom = std::max(bottom, y);
    left = std::min(left, x), right = std::max(right, x);
    ++count;
  }
  if (count == 0) return std::nullopt;
  const Box box{top, left, bottom - top + 1, right - left + 1};
  EXPECT_EQ(count, shape.channels * box.height * box.width);
  return box;
}

std::optional<Box> erase_one(double probability, const ImageShape& shape, std::uint64_t number) {
  std::vector<float> image(static_cast<std::size_t>(shape.elements()), 1.0F);
  RandomStream random(3, 0, number, Purpose::kTest);
  random_erase(probability, shape, random, image);
  return erased(shape, image);
}

TEST(RandomErase, ErasesRectanglesOfTorchvisionsAreasAndForms) {
  const ImageShape shape{1, 200, 200};
  constexpr std::uint64_t kImages = 2000;
  std::array<int, 4> areas{}, forms{};
  bool everywhere[4] = {};
  for (std::uint64_t i = 0; i < kImages; ++i) {
    const auto box = erase_one(1, shape, i);
    ASSERT_TRUE(box);
    const auto height = static_cast<double>(box->height), width = static_cast<double>(box->width);
    const double area = height * width / (200 * 200), form = height / width;
    // Sides are rounded to whole pixels, of which the shortest has 16.
    ASSERT_GE(area, 0.02 * 0.95);
    ASSERT_LE(area, 0.33 * 1.05);
    ASSERT_GE(form, 0.3 * 0.95);
    ASSERT_LE(form, 3.3 * 1.05);
    const double area_part = (area - 0.02) / (0.33 - 0.02);
    const double form_part = std::log(form / 0.3) / std::log(3.3 / 0.3);
    ++areas[static_cast<std::size_t>(std::clamp(4 * area_part, 0.0, 3.0))];
    ++forms[static_cast<std::size_t>(std::clamp(4 * form_part, 0.0, 3.0))];
    everywhere[0] = everywhere[0] || box->top < 10;
    everywhere[1] = everywhere[1] || box->left < 10;
    everywhere[2] = everywhere[2] || box->top + box->height > 190;
    everywhere[3] = everywhere[3] || box->left + box->width > 190;
  }
  for (const bool seen : everywhere) EXPECT_TRUE(seen);
  // A quarter each; four standard deviations, and the few large ones that do not fit.
  for (const int count : areas) EXPECT_NEAR(count, kImages / 4, 0.17 * kImages / 4);
  for (const int count : forms) EXPECT_NEAR(count, kImages / 4, 0.17 * kImages / 4);
}

TEST(RandomErase, ErasesAsOftenAsItsProbability) {
  const ImageShape shape{1, 28, 28};
  for (const double probability : {0.0, 0.25, 1.0}) {
    int count = 0;
    for (std::uint64_t i = 0; i < 4000; ++i) count += erase_one(probability, shape, i) ? 1 : 0;
    const double deviation = std::sqrt(4000 * probability * (1 - probability));
    EXPECT_NEAR(count, 4000 * probability, 4 * deviation) << probability;
  }
}

TEST(RandomErase, LeavesImagesThatNothingFits) {
  for (std::uint64_t i = 0; i < 100; ++i) {
    EXPECT_FALSE(erase_one(1, {3, 1, 1}, i));
    EXPECT_FALSE(erase_one(1, {1, 1, 17}, i));
  }
}

TEST(RandomErase, ErasesTheSameForTheSameKey) {
  for (std::uint64_t i = 0; i < 20; ++i) {
    const auto one = erase_one(1, {3, 32, 32}, i), other = erase_one(1, {3, 32, 32}, i);
    ASSERT_TRUE(one && other);
    EXPECT_EQ(one->top, other->top);
    EXPECT_EQ(one->width, other->width);
  }
}

}  // namespace
}  // namespace yoke
