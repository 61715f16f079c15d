// tests/train/class_weights_test.cpp: --class-weights, and what it does to a training.
#include "yoke/train/class_weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "tests/support/support.h"
#include "tests/train/run.h"
#include "yoke/core/error.h"
#include "yoke/run/flag_names.h"

namespace yoke::test {
namespace {

using testing::HasSubstr;

/// Images of no pixels with the labels given, of classes `cat`, `polar bear` and `dog`.
class Labels final : public Dataset {
 public:
  explicit Labels(std::vector<std::int64_t> labels) : labels_(std::move(labels)) {
    info_.name = "pets";
    info_.class_names = {"cat", "polar bear", "dog"};
  }
  const DatasetInfo& info() const override { return info_; }
  std::int64_t size() const override { return static_cast<std::int64_t>(labels_.size()); }
  std::int64_t label(std::int64_t index) const override {
    return labels_[static_cast<std::size_t>(index)];
  }
  std::string name(std::int64_t index) const override { return std::to_string(index); }
  std::span<const std::uint8_t> pixels(std::int64_t, std::vector<std::uint8_t>&) const override {
    return {};
  }

 private:
  DatasetInfo info_;
  std::vector<std::int64_t> labels_;
};

TEST(ClassWeights, AreNoneWhereNoneAreWanted) {
  EXPECT_FALSE(class_weights_of(flag::kClassWeights, "", Labels({0, 1})).defined());
}

/// scikit-learn's compute_class_weight("balanced", classes=[0, 1, 2], y=[0, 0, 0, 1, 2, 2]).
TEST(ClassWeights, BalanceTheClasses) {
  const auto weights =
      class_weights_of(flag::kClassWeights, "balanced", Labels({0, 0, 0, 1, 2, 2}));
  EXPECT_TRUE(weights.equal(torch::tensor({6.0F / 9, 2.0F, 1.0F}))) << weights;
}

TEST(ClassWeights, BalanceTheClassesThatHaveImages) {
  const auto weights = class_weights_of(flag::kClassWeights, "balanced", Labels({0, 0, 0, 2}));
  EXPECT_TRUE(weights.equal(torch::tensor({4.0F / 6, 1.0F, 2.0F}))) << weights;
}

TEST(ClassWeights, AreThoseOfAFile) {
  const TemporaryDirectory directory;
  const auto path = directory.path() / "weights.txt";
  write_file(path, "polar bear 2.5\n\n  cat,\t0 \r\n");
  EXPECT_TRUE(class_weights_of(flag::kClassWeights, path, Labels({0, 1, 2}))
                  .equal(torch::tensor({0.0F, 2.5F, 1.0F})));
  write_file(path, "dog, 0.125");
  EXPECT_TRUE(class_weights_of(flag::kClassWeights, path, Labels({0, 1, 2}))
                  .equal(torch::tensor({1.0F, 1.0F, 0.125F})));
}

TEST(ClassWeights, ThatMakeNoSenseAreRefusedWithWhatIsAllowed) {
  const TemporaryDirectory directory;
  const auto path = directory.path() / "weights.txt";
  const auto refuses = [&](const std::string& text, const std::string& message) {
    write_file(path, text);
    EXPECT_THAT(
        [&] {
          class_weights_of(flag::kClassWeights, path, Labels({0, 1, 2}));
        },
        testing::ThrowsMessage<UsageError>(HasSubstr(message)))
        << text;
  };
  refuses("cat 1\ncet 2\n", ":2: data set 'pets' has no class 'cet'; did you mean 'cat'?");
  refuses("cat 1\ncat 2\n", ":2: class 'cat' has a weight already");
  refuses("cat -1\n", ":1: 'cat -1' is no class and number");
  refuses("cat nan\n", "a number from 0 to");
  refuses("cat\n", "'cat' is no class and number");
  refuses("3\n", "'3' is no class and number");
  refuses("cat 0\npolar bear 0\ndog 0\n", "all classes weigh 0");
  for (const char* const flag : {flag::kClassWeights, flag::kSampleWeights}) {
    EXPECT_THAT([&] { class_weights_of(flag, "balance", Labels({0})); },
                testing::ThrowsMessage<UsageError>(testing::AllOf(
                    HasSubstr(as_flag(flag)), HasSubstr("allowed: balanced, or a file"))));
  }
}

TEST(ClassWeights, AreThoseOfTheImagesOfAClass) {
  const Labels labels({2, 0, 1, 2});
  EXPECT_THAT(weights_of_images(torch::tensor({0.5F, 2.0F, 3.0F}), labels),
              testing::ElementsAre(3, 0.5, 2, 3));
}

/// A class that weighs nothing in the loss, or is never drawn, is never learned.
TEST(ClassWeights, DecideWhatIsLearned) {
  for (const auto member : {&TrainConfig::class_weights, &TrainConfig::sample_weights}) {
    const TemporaryDirectory directory;
    const auto path = directory.path() / "weights.txt";
    write_file(path, "3 0\n");
    auto config = small_run(directory.path() / "run");
    config.epochs = 16;
    config.*member = path;
    train(config);
    const auto recall = summary(config.out).at("per_class_accuracy").get<std::vector<double>>();
    EXPECT_LT(recall.at(3), 0.2);
    for (std::size_t c = 0; c < recall.size(); ++c) {
      if (c != 3) {
        EXPECT_GT(recall[c], 0.4) << c;
      }
    }
  }
}

}  // namespace
}  // namespace yoke::test
