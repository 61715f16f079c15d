// tests/data/resize_test.cpp: the resized data set against LibTorch's bilinear interpolation.
#include "yoke/data/transforms/resize.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include "yoke/core/error.h"
#include "yoke/core/random.h"
#include "yoke/data/datasets/in_memory.h"

namespace yoke {
namespace {

std::shared_ptr<const Dataset> random_images(std::int64_t count, ImageShape shape) {
  RandomStream random(1, 0, 0, Purpose::kTest);
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(count * shape.elements()));
  for (auto& pixel : pixels) pixel = static_cast<std::uint8_t>(random.below(256));
  std::vector<std::int64_t> labels;
  for (std::int64_t i = 0; i < count; ++i) labels.push_back(i % 3);
  const auto channels = static_cast<std::size_t>(shape.channels);
  return std::make_shared<InMemoryDataset>(
      DatasetInfo{.name = "test",
                  .image = shape,
                  .class_names = {"a", "b", "c"},
                  .mean = std::vector<float>(channels, 0.5F),
                  .deviation = std::vector<float>(channels, 0.5F)},
      std::move(pixels), std::move(labels));
}

torch::Tensor tensor_of(const Dataset& dataset) {
  const auto& shape = dataset.info().image;
  const auto images = torch::empty({dataset.size(), shape.channels, shape.height, shape.width});
  std::vector<std::uint8_t> scratch;
  for (std::int64_t i = 0; i < dataset.size(); ++i) {
    const auto pixels = dataset.pixels(i, scratch);
    std::copy(pixels.begin(), pixels.end(), images.data_ptr<float>() + i * shape.elements());
  }
  return images;
}

struct Size {
  std::int64_t height, width;
};

TEST(Resized, EqualsBilinearInterpolationToHalfAGreyLevel) {
  for (const ImageShape shape : {ImageShape{1, 28, 28}, ImageShape{3, 7, 5}, ImageShape{2, 1, 1}}) {
    const auto images = random_images(70, shape);
    for (const Size size : {Size{32, 32}, Size{1, 1}, Size{17, 3}, Size{9, 40}, Size{28, 29}}) {
      const auto result = resized(images, size.height, size.width);
      EXPECT_EQ(result->info().image, (ImageShape{shape.channels, size.height, size.width}));
      const auto expected =
          at::upsample_bilinear2d(tensor_of(*images), {size.height, size.width}, false);
      const auto difference = (tensor_of(*result) - expected).abs().max().item<float>();
      EXPECT_LE(difference, 0.5F + 1e-3F)
          << shape.str() << " to " << size.height << "x" << size.width;
    }
  }
}

TEST(Resized, KeepsLabelsAndTheRestOfTheInfo) {
  const auto result = resized(random_images(5, {1, 4, 4}), 8, 8);
  ASSERT_EQ(result->size(), 5);
  for (std::int64_t i = 0; i < 5; ++i) EXPECT_EQ(result->label(i), i % 3);
  EXPECT_EQ(result->info().class_names.size(), 3);
  EXPECT_EQ(result->info().mean[0], 0.5F);
}

TEST(Resized, IsTheSameDataSetWhenTheSizeIsRight) {
  const auto images = random_images(5, {3, 4, 6});
  EXPECT_EQ(resized(images, 4, 6), images);
}

TEST(Resized, RefusesToMakeNothing) {
  EXPECT_THROW(resized(random_images(1, {1, 4, 4}), 0, 4), UsageError);
  EXPECT_THROW(resized(random_images(1, {1, 4, 4}), 4, -1), UsageError);
}

}  // namespace
}  // namespace yoke
