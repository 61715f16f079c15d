#include "yoke/data/transforms/transform.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <thread>

#include "tests/data/dataset_files.h"
#include "tests/data/random_pixels.h"
#include "yoke/core/error.h"
#include "yoke/data/transforms/random_erasing.h"

namespace yoke {
namespace {

DatasetInfo make_info(ImageShape shape) {
  DatasetInfo info;
  info.name = "test";
  info.image = shape;
  for (std::int64_t c = 0; c < shape.channels; ++c) {
    info.mean.push_back(0.1f + 0.2f * static_cast<float>(c));
    info.deviation.push_back(0.3f + 0.1f * static_cast<float>(c));
  }
  return info;
}

std::vector<float> apply(const DatasetInfo& info, const Augmentation& augmentation,
                         std::span<const std::uint8_t> pixels, RandomStream random) {
  std::vector<float> output(pixels.size(), NAN);
  Transform(info, augmentation).apply(pixels, random, output);
  return output;
}

// Plainly: pads the image with zeros, cuts the window out, mirrors it, and normalises in double.
std::vector<double> reference(const DatasetInfo& info, std::span<const std::uint8_t> pixels,
                              std::int64_t padding, std::int64_t top, std::int64_t left,
                              bool flip) {
  const auto [channels, height, width] = info.image;
  std::vector<double> output;
  for (std::int64_t c = 0; c < channels; ++c) {
    for (std::int64_t y = 0; y < height; ++y) {
      for (std::int64_t x = 0; x < width; ++x) {
        const std::int64_t row = y + top - padding;
        const std::int64_t column = (flip ? width - 1 - x : x) + left - padding;
        const bool inside = row >= 0 && row < height && column >= 0 && column < width;
        const double pixel =
            inside ? pixels[static_cast<std::size_t>((c * height + row) * width + column)] : 0;
        const auto channel = static_cast<std::size_t>(c);
        output.push_back((pixel / 255 - info.mean[channel]) / info.deviation[channel]);
      }
    }
  }
  return output;
}

void expect_near(const std::vector<float>& values, const std::vector<double>& expected) {
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    // Three roundings of terms no larger than 1 / 0.3 in fp32.
    ASSERT_NEAR(values[i], expected[i], 1e-6) << "element " << i;
  }
}

const ImageShape kShapes[] = {{1, 1, 1}, {1, 1, 17},  {3, 17, 1},
                              {2, 5, 3}, {1, 28, 28}, {3, 32, 33}};

TEST(Transform, NormalisesEveryPixelOnceWithoutAugmentation) {
  for (const ImageShape& shape : kShapes) {
    SCOPED_TRACE(shape.str());
    const DatasetInfo info = make_info(shape);
    const auto pixels = test::random_pixels(shape);
    expect_near(apply(info, {}, pixels, RandomStream(1, 0, 0, Purpose::kTest)),
                reference(info, pixels, 0, 0, 0, false));
  }
}

TEST(Transform, CropsAndFlipsLikeThePlainReference) {
  for (const ImageShape& shape : kShapes) {
    for (const bool flip : {false, true}) {
      for (const std::int64_t crop : {0, 1, 4}) {
        if (crop > std::min(shape.height, shape.width)) continue;
        SCOPED_TRACE(fmt::format("{} crop {} flip {}", shape.str(), crop, flip));
        const DatasetInfo info = make_info(shape);
        const auto pixels = test::random_pixels(shape);
        for (std::uint64_t image = 0; image < 40; ++image) {
          RandomStream random(5, 0, image, Purpose::kAugment);
          const auto output = apply(info, {.crop = crop, .flip = flip}, pixels, random);
          const auto places = static_cast<std::uint64_t>(2 * crop + 1);
          const auto top = crop > 0 ? static_cast<std::int64_t>(random.below(places)) : 0;
          const auto left = crop > 0 ? static_cast<std::int64_t>(random.below(places)) : 0;
          const bool mirrored = flip && random.below(2) == 1;
          expect_near(output, reference(info, pixels, crop, top, left, mirrored));
        }
      }
    }
  }
}

TEST(Transform, TakesEveryPlaceOfTheCropAndBothSidesOfTheFlip) {
  const DatasetInfo info = make_info({1, 8, 8});
  const auto pixels = test::random_pixels(info.image);
  std::set<std::vector<float>> seen;
  for (std::uint64_t image = 0; image < 1000; ++image) {
    seen.insert(apply(info, {.crop = 2, .flip = true}, pixels,
                      RandomStream(5, 0, image, Purpose::kAugment)));
  }
  EXPECT_EQ(seen.size(), 5u * 5u * 2u);
}

constexpr Augmentation kEverything{.crop = 2,
                                   .flip = true,
                                   .auto_augment = AutoAugmentPolicy::kTrivialAugmentWide,
                                   .random_erase = 0.5};

TEST(Transform, CropsFlipsAugmentsNormalisesAndErasesInThisOrder) {
  for (const ImageShape& shape : {ImageShape{1, 28, 28}, {3, 32, 33}}) {
    DatasetInfo black = make_info(shape);  // whose normalised pixels are the pixels
    black.mean.assign(black.mean.size(), 0);
    black.deviation.assign(black.mean.size(), 1.0F / 255);
    const auto pixels = test::random_pixels(shape);
    for (std::uint64_t image = 0; image < 100; ++image) {
      RandomStream random(5, 0, image, Purpose::kAugment), step = random;
      std::vector<float> placed(pixels.size()), expected(pixels.size());
      Transform(black, {.crop = 2, .flip = true}).apply(pixels, step, placed);
      std::vector<std::uint8_t> bytes(placed.size()), spare(placed.size());
      std::ranges::transform(placed, bytes.begin(), [](float pixel) {
        return static_cast<std::uint8_t>(std::lround(pixel));
      });
      const auto changed = AutoAugment(kEverything, shape).apply(step, bytes, spare);
      Transform(make_info(shape), {}).apply(changed, step, expected);
      random_erase(0.5, shape, step, expected);
      EXPECT_EQ(apply(make_info(shape), kEverything, pixels, random), expected) << image;
    }
  }
}

TEST(Transform, GivesTheSameImagesInSeveralThreads) {
  const DatasetInfo info = make_info({3, 32, 33});
  const auto pixels = test::random_pixels(info.image);
  const Transform transform(info, kEverything);
  constexpr std::uint64_t kImages = 200;
  const auto apply_all = [&](std::vector<std::vector<float>>& outputs) {
    for (std::uint64_t image = 0; image < kImages; ++image) {
      RandomStream random(5, 0, image, Purpose::kAugment);
      outputs.emplace_back(pixels.size());
      transform.apply(pixels, random, outputs.back());
    }
  };
  std::vector<std::vector<float>> alone;
  apply_all(alone);
  std::array<std::vector<std::vector<float>>, 4> together;
  {
    std::vector<std::jthread> threads;
    for (auto& outputs : together) threads.emplace_back([&] { apply_all(outputs); });
  }
  for (const auto& outputs : together) EXPECT_EQ(outputs, alone);
}

TEST(Transform, RejectsWhatIsNoProbability) {
  const DatasetInfo info = make_info({1, 8, 6});
  for (const double wrong : {-0.1, 1.1, std::nan("")}) {
    EXPECT_THAT(test::failure_of<UsageError>([&] { Transform(info, {.random_erase = wrong}); }),
                testing::AllOf(testing::HasSubstr("random_erase="), testing::HasSubstr("from 0")));
  }
}

TEST(Transform, RejectsACropLargerThanTheImage) {
  const DatasetInfo info = make_info({1, 8, 6});
  EXPECT_NO_THROW(Transform(info, {.crop = 6}));
  for (const std::int64_t crop : {-1, 7}) {
    try {
      const Transform refused(info, {.crop = crop});
      FAIL() << "accepted crop=" << crop;
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(fmt::format("crop={} ", crop)));
      EXPECT_THAT(error.what(), testing::HasSubstr("from 0 (none) to 6"));
    }
  }
}

TEST(Transform, RejectsADataSetWithoutStatisticsForEachChannel) {
  DatasetInfo info = make_info({3, 4, 4});
  info.deviation[1] = 0;
  EXPECT_THROW(Transform(info, {}), Error);
  info.deviation = {1, 1};
  EXPECT_THROW(Transform(info, {}), Error);
  info.deviation = {1, 1, 1};
  info.mean = {};
  EXPECT_THROW(Transform(info, {}), Error);
}

TEST(Transform, RejectsSpansOfAnotherSize) {
  const Transform transform(make_info({1, 4, 4}), {});
  RandomStream random(1, 0, 0, Purpose::kTest);
  std::vector<std::uint8_t> pixels(16);
  std::vector<float> output(16);
  EXPECT_THROW(transform.apply(std::span(pixels).first(15), random, output), Error);
  EXPECT_THROW(transform.apply(pixels, random, std::span(output).first(15)), Error);
}

}  // namespace
}  // namespace yoke
