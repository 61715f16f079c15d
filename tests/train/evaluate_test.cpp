#include "yoke/train/evaluation/evaluate.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/ranks.h"
#include "yoke/comm/factory.h"

namespace yoke {
namespace {

/// Seven images of one pixel: image i has value i and class i % 3.
class Numbers final : public Dataset {
 public:
  Numbers() {
    info_ = {.name = "numbers",
             .image = {1, 1, 1},
             .class_names = {"a", "b", "c", "none"},
             .mean = {0.0F},
             .deviation = {1.0F / 255}};
  }
  const DatasetInfo& info() const override { return info_; }
  std::int64_t size() const override { return 7; }
  std::int64_t label(std::int64_t index) const override { return index % 3; }
  std::string name(std::int64_t index) const override { return std::to_string(index); }
  std::span<const std::uint8_t> pixels(std::int64_t index,
                                       std::vector<std::uint8_t>& scratch) const override {
    scratch = {static_cast<std::uint8_t>(index)};
    return scratch;
  }

 private:
  DatasetInfo info_;
};

/// Predicts the right class, but class 0 for image 5; remembers what it saw.
class Oracle final : public Engine {
 public:
  Forward gradient(const Batch&, const StepKey&, const GradientReady&) override {
    throw std::logic_error("not used");
  }
  void synchronise_batch_norm(SumOverRanks) override {}
  torch::Tensor predict(const torch::Tensor& input) override {
    auto scores = torch::zeros({input.size(0), 4});
    for (std::int64_t n = 0; n < input.size(0); ++n) {
      const auto image = std::lround(input[n].item<double>());
      seen.push_back(image);
      scores[n][image == 5 ? 0 : image % 3] = 10.0;
    }
    return scores;
  }
  std::string describe(std::int64_t) override { return "oracle"; }
  std::vector<std::int64_t> seen;
};

TEST(Evaluate, CountsEachImageOnceForAnyBatchSize) {
  for (const std::int64_t batch_size : {1, 2, 3, 7, 100}) {
    Oracle oracle;
    const auto communicator = make_communicator("single");
    const auto result =
        evaluate(oracle, *communicator, std::make_shared<Numbers>(), batch_size, {});
    EXPECT_EQ(oracle.seen, (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(result.images, 7);
    EXPECT_DOUBLE_EQ(result.top1, 6.0 / 7);
    EXPECT_DOUBLE_EQ(result.top5, 1.0);
    EXPECT_DOUBLE_EQ(result.per_class_accuracy[0], 1.0);
    EXPECT_DOUBLE_EQ(result.per_class_accuracy[2], 0.5);
    EXPECT_TRUE(std::isnan(result.per_class_accuracy[3]));
    EXPECT_DOUBLE_EQ(result.balanced_accuracy, (1 + 1 + 0.5) / 3);
    // Class 0: precision 3 of 4; class 2: recall 1 of 2.
    EXPECT_DOUBLE_EQ(result.macro_f1, (6.0 / 7 + 1 + 2.0 / 3) / 3);
    EXPECT_EQ(result.confusion[2][0].item<std::int64_t>(), 1);
    EXPECT_EQ(result.confusion.sum().item<std::int64_t>(), 7);
    ASSERT_EQ(result.sightings.size(), 7U);
    EXPECT_EQ(result.sightings[0].image, 5);
    EXPECT_EQ(result.sightings[0].label, 2);
    EXPECT_EQ(result.sightings[0].predicted, 0);
    // Cross-entropy of a right answer, and of the wrong one, by hand.
    const double others = 3 * std::exp(-10.0);
    EXPECT_NEAR(result.loss, std::log1p(others) + 10.0 / 7, 1e-5);
    // All seven are as sure, and one is wrong.
    EXPECT_EQ(result.confidence_bins.back().images, 7);
    EXPECT_NEAR(expected_calibration_error(result.confidence_bins), 1 / (1 + others) - 6.0 / 7,
                1e-6);
  }
}

TEST(Evaluate, FindsTheSameOnSeveralRanks) {
  Oracle oracle;
  const auto one = make_communicator("single");
  const auto expected = evaluate(oracle, *one, std::make_shared<Numbers>(), 2, {});
  test::run_ranks({3}, [&](const Group& group) {
    Oracle own;
    const auto ranks = make_communicator("gloo", group);
    const auto found = evaluate(own, *ranks, std::make_shared<Numbers>(), 4, {});
    EXPECT_LT(own.seen.size(), 7U);
    EXPECT_EQ(found.images, expected.images);
    EXPECT_EQ(found.top1, expected.top1);
    EXPECT_EQ(found.balanced_accuracy, expected.balanced_accuracy);
    EXPECT_EQ(found.macro_f1, expected.macro_f1);
    EXPECT_EQ(confidence_bins_json(found.confidence_bins).dump(),
              confidence_bins_json(expected.confidence_bins).dump());
    EXPECT_EQ(found.sightings, expected.sightings);
  });
}

}  // namespace
}  // namespace yoke
