#include "yoke/data/statistics.h"

#include <gtest/gtest.h>

namespace yoke {
namespace {

/// Images of two channels and two pixels: the first channel is 0 and 255, the second constant.
class TinyDataset final : public Dataset {
 public:
  explicit TinyDataset(std::vector<std::int64_t> labels) : labels_(std::move(labels)) {}
  const DatasetInfo& info() const override { return info_; }
  std::int64_t size() const override { return static_cast<std::int64_t>(labels_.size()); }
  std::int64_t label(std::int64_t index) const override {
    return labels_[static_cast<std::size_t>(index)];
  }
  std::string name(std::int64_t index) const override { return std::to_string(index); }
  std::span<const std::uint8_t> pixels(std::int64_t,
                                       std::vector<std::uint8_t>& scratch) const override {
    scratch = {0, 255, 51, 51};
    return scratch;
  }

 private:
  std::vector<std::int64_t> labels_;
  DatasetInfo info_{.name = "tiny",
                    .image = {.channels = 2, .height = 1, .width = 2},
                    .class_names = {"a", "b", "c"},
                    .mean = {},
                    .deviation = {}};
};

TEST(Statistics, CountsClassesAndPixelsPerChannel) {
  const auto statistics = measure(TinyDataset({2, 0, 2}));
  EXPECT_EQ(statistics.images, 3);
  EXPECT_EQ(statistics.class_counts, (std::vector<std::int64_t>{1, 0, 2}));
  EXPECT_EQ(statistics.pixel_bytes, 12);
  ASSERT_EQ(statistics.mean.size(), 2u);
  EXPECT_DOUBLE_EQ(statistics.mean[0], 0.5);
  EXPECT_DOUBLE_EQ(statistics.deviation[0], 0.5);
  EXPECT_DOUBLE_EQ(statistics.mean[1], 0.2);
  EXPECT_DOUBLE_EQ(statistics.deviation[1], 0.0);
}

TEST(Statistics, OfNothingAreZero) {
  const auto statistics = measure(TinyDataset({}));
  EXPECT_EQ(statistics.images, 0);
  EXPECT_EQ(statistics.mean, (std::vector<double>{0, 0}));
  EXPECT_EQ(statistics.deviation, (std::vector<double>{0, 0}));
}

}  // namespace
}  // namespace yoke
