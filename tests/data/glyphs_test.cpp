// tests/data/glyphs_test.cpp: the drawn digits.
#include <ATen/Parallel.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/data/dataset_files.h"
#include "yoke/core/random.h"
#include "yoke/data/dataset.h"
#include "yoke/data/datasets/glyph_raster.h"
#include "yoke/data/statistics.h"

namespace yoke {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

DatasetSplits glyphs(const std::string& options, std::uint64_t seed) {
  return make_dataset("glyphs:" + options, {.data_dir = "", .seed = seed});
}

std::vector<std::uint8_t> content(const Dataset& dataset) {
  std::vector<std::uint8_t> bytes, scratch;
  for (std::int64_t i = 0; i < dataset.size(); ++i) {
    bytes.push_back(static_cast<std::uint8_t>(dataset.label(i)));
    const auto pixels = dataset.pixels(i, scratch);
    bytes.insert(bytes.end(), pixels.begin(), pixels.end());
  }
  return bytes;
}

TEST(Glyphs, AreTheSameForASeedOnAnyNumberOfThreads) {
  const int threads = at::get_num_threads();
  at::set_num_threads(1);
  const auto one = content(*glyphs("train=500,validation=1", 7).train);
  at::set_num_threads(3);
  const auto three = content(*glyphs("train=500,validation=1", 7).train);
  at::set_num_threads(threads);
  EXPECT_TRUE(one == three);
}

TEST(Glyphs, DifferBetweenSeedsSplitsAndImages) {
  const auto splits = glyphs("train=100,validation=100", 7);
  EXPECT_TRUE(content(*splits.train) != content(*splits.validation));
  EXPECT_TRUE(content(*splits.train) != content(*glyphs("train=100,validation=1", 8).train));
  std::vector<std::uint8_t> scratch;
  EXPECT_FALSE(
      std::ranges::equal(splits.train->pixels(0, scratch), splits.train->pixels(1, scratch)));
}

TEST(Glyphs, HaveEachClassEquallyOften) {
  const auto splits = glyphs("train=1003,validation=20", 0);
  const auto counts = measure(*splits.train).class_counts;
  EXPECT_THAT(counts, ElementsAre(101, 101, 101, 100, 100, 100, 100, 100, 100, 100));
  EXPECT_THAT(measure(*splits.validation).class_counts, Each(2));
  EXPECT_NE(splits.train->label(0) * 10 + splits.train->label(1), 1);  // shuffled
}

TEST(Glyphs, HaveTheirStatedShapeMeanAndDeviation) {
  const auto splits = glyphs("train=4000,validation=1", 3);
  const DatasetInfo& info = splits.train->info();
  EXPECT_EQ(info.image, (ImageShape{1, 28, 28}));
  EXPECT_EQ(info.classes(), 10);
  const auto statistics = measure(*splits.train);  // of 4000 images, whose mean varies by 0.06
  EXPECT_NEAR(statistics.mean[0], info.mean[0], 0.005);
  EXPECT_NEAR(statistics.deviation[0], info.deviation[0], 0.005);
}

TEST(Glyphs, StayInsideTheirImage) {
  const auto splits = glyphs("train=2000,validation=1,noise=0", 5);
  std::vector<std::uint8_t> scratch;
  std::int64_t border = 0, all = 0;
  for (std::int64_t i = 0; i < splits.train->size(); ++i) {
    const auto pixels = splits.train->pixels(i, scratch);
    for (std::size_t at = 0; at < pixels.size(); ++at) {
      const std::size_t x = at % 28, y = at / 28;
      all += pixels[at];
      if (x == 0 || x == 27 || y == 0 || y == 27) border += pixels[at];
    }
  }
  EXPECT_LT(static_cast<double>(border) / static_cast<double>(all), 0.01);
}

TEST(Glyphs, RefuseOptionsOutOfRange) {
  EXPECT_THROW(glyphs("train=0", 0), UsageError);
  EXPECT_THROW(glyphs("noise=-1", 0), UsageError);
}

TEST(RasteriseGlyph, FillsWhatIsWithinTheRadius) {
  std::vector<std::uint8_t> image(std::size_t{28} * 28);
  RandomStream random(0, 0, 0, Purpose::kTest);
  const GlyphInk ink{.radius = 1.5F, .softness = 1, .brightness = 1, .noise = 0};
  rasterise_glyph({{{5, 10.5F}, {20, 10.5F}}}, ink, random, image);
  const auto pixel = [&](std::size_t y, std::size_t x) { return image[y * 28 + x]; };
  EXPECT_EQ(pixel(10, 12), 255);
  EXPECT_EQ(pixel(11, 12), 255);  // 1.0 away, where the edge begins to fade
  EXPECT_EQ(pixel(12, 12), 0);    // 2.0 away
  EXPECT_EQ(pixel(10, 2), 0);
  EXPECT_EQ(pixel(10, 4), 255);  // the round end
  EXPECT_EQ(pixel(8, 3), 0);
}

TEST(RasteriseGlyph, DrawsNothingOutsideTheImage) {
  std::vector<std::uint8_t> image(std::size_t{28} * 28, 1);
  RandomStream random(0, 0, 0, Purpose::kTest);
  rasterise_glyph({{{-50, -50}, {-40, 80}}, {{90, 3}, {90, 3}}}, {}, random, image);
  EXPECT_THAT(image, Each(0));
}

TEST(RasteriseGlyph, AddsNoiseOfTheGivenDeviation) {
  std::vector<std::uint8_t> image(std::size_t{28} * 28);
  RandomStream random(0, 0, 0, Purpose::kTest);
  const GlyphStroke everywhere = {{0, 14}, {28, 14}};
  const GlyphInk ink{.radius = 40, .softness = 1, .brightness = 0.5F, .noise = 20};
  rasterise_glyph({everywhere}, ink, random, image);
  double sum = 0, squares = 0;
  for (const double value : image) sum += value, squares += value * value;
  const double mean = sum / 784, deviation = std::sqrt(squares / 784 - mean * mean);
  EXPECT_NEAR(mean, 127.5, 4);  // five standard errors are 3.6
  EXPECT_NEAR(deviation, 20, 3);
}

}  // namespace
}  // namespace yoke
