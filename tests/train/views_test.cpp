#include "yoke/train/evaluation/views.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "yoke/core/error.h"

namespace yoke {
namespace {

/// Whose scores are the pixels themselves.
class PixelScores final : public Engine {
 public:
  Forward gradient(const Batch&, const StepKey&, const GradientReady&) override {
    throw std::logic_error("not used");
  }
  void synchronise_batch_norm(SumOverRanks) override {}
  torch::Tensor predict(const torch::Tensor& input) override {
    EXPECT_TRUE(input.is_contiguous());
    return input.flatten(1);
  }
  std::string describe(std::int64_t) override { return "pixels"; }
};

constexpr std::int64_t kHeight = 3, kWidth = 5;

torch::Tensor scores_of(const torch::Tensor& images, const char* views) {
  PixelScores engine;
  return mean_scores(engine, images, parse_word<Views>("--tta", views)).view_as(images);
}

/// Pixel [row, column] of the image, or the nearest one outside of it.
double pixel(const torch::Tensor& image, std::int64_t row, std::int64_t column) {
  return image[std::clamp<std::int64_t>(row, 0, kHeight - 1)]
              [std::clamp<std::int64_t>(column, 0, kWidth - 1)]
                  .item<double>();
}

TEST(Views, OfNoneAreTheImages) {
  const auto images = torch::randn({2, 3, kHeight, kWidth});
  EXPECT_TRUE(scores_of(images, "none").equal(images));
}

TEST(Views, OfAFlipAreTheImageAndItsMirrorImage) {
  const auto images = torch::randn({2, 3, kHeight, kWidth});
  const auto scores = scores_of(images, "flip");
  for (std::int64_t row = 0; row < kHeight; ++row) {
    for (std::int64_t column = 0; column < kWidth; ++column) {
      const auto& image = images[1][2];
      EXPECT_NEAR(scores[1][2][row][column].item<double>(),
                  (pixel(image, row, column) + pixel(image, row, kWidth - 1 - column)) / 2, 1e-6);
    }
  }
}

TEST(Views, OfAShiftWeighTheImageHalf) {
  const auto images = torch::randn({2, 3, kHeight, kWidth});
  const auto scores = scores_of(images, "flip-shift");
  const auto& image = images[1][2];
  for (std::int64_t row = 0; row < kHeight; ++row) {
    for (std::int64_t column = 0; column < kWidth; ++column) {
      const std::int64_t mirror = kWidth - 1 - column;
      double want = (pixel(image, row, column) + pixel(image, row, mirror)) / 4;
      for (const std::int64_t by : {-1, 1}) {
        want += (pixel(image, row + by, column + by) + pixel(image, row + by, mirror + by)) / 8;
      }
      EXPECT_NEAR(scores[1][2][row][column].item<double>(), want, 1e-6);
    }
  }
}

TEST(Views, RejectsOthers) {
  EXPECT_THROW(parse_word<Views>("--tta", "shift"), UsageError);
  EXPECT_THROW(parse_word<Views>("--tta", ""), UsageError);
}

}  // namespace
}  // namespace yoke
