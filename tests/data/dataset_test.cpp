// tests/data/dataset_test.cpp: data sets by name, their common options, and images in memory.
#include "yoke/data/dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/data/dataset_files.h"
#include "tests/support/support.h"
#include "yoke/data/datasets/in_memory.h"
#include "yoke/data/datasets/subset.h"
#include "yoke/data/statistics.h"

namespace yoke {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

DatasetSplits make(const std::string& text) {
  return make_dataset(text, {.data_dir = "/nowhere", .seed = 0});
}

TEST(Datasets, AreListedByName) {
  EXPECT_THAT(datasets().names(),
              ::testing::IsSupersetOf({"glyphs", "mnist", "fashion-mnist", "cifar10"}));
}

TEST(MakeDataset, FailsOnAnUnknownName) {
  EXPECT_THAT(test::failure_of<UsageError>([] { make("minst"); }),
              AllOf(HasSubstr("'minst'"), HasSubstr("did you mean 'mnist'?")));
}

TEST(MakeDataset, FailsOnAnUnknownOption) {
  EXPECT_THAT(test::failure_of<UsageError>([] { make("glyphs:train=1,validation=1,flop=on"); }),
              AllOf(HasSubstr("'flop'"), HasSubstr("did you mean 'flip'?")));
  EXPECT_THAT(test::failure_of<UsageError>([] { make("glyphs:train=1,validation=1,colour=on"); }),
              AllOf(HasSubstr("flip"), HasSubstr("noise"), HasSubstr("train_limit")));
}

TEST(MakeDataset, FailsWithAdviceWhenThereAreNoFiles) {
  for (const std::string name : {"mnist", "fashion-mnist", "cifar10", "cifar100"}) {
    EXPECT_THAT(test::failure_of<UsageError>([&] { make(name); }),
                HasSubstr("yoke data fetch " + name + " --data-dir /nowhere"));
  }
}

TEST(MakeDataset, GivesTheAugmentationOfItsOptions) {
  const auto plain = make("glyphs:train=1,validation=1").augmentation;
  EXPECT_EQ(plain.crop, 0);
  EXPECT_FALSE(plain.flip);
  const auto both = make("glyphs:train=1,validation=1,crop=4,flip=on").augmentation;
  EXPECT_EQ(both.crop, 4);
  EXPECT_TRUE(both.flip);
  EXPECT_THROW(make("glyphs:train=1,validation=1,crop=-1"), UsageError);
  EXPECT_EQ(plain.auto_augment, AutoAugmentPolicy::kNone);
  EXPECT_EQ(plain.random_erase, 0);
  const auto drawn = make(
                         "glyphs:train=1,validation=1,auto_augment=rand-augment,magnitude=30,"
                         "num_ops=3,random_erase=0.25")
                         .augmentation;
  EXPECT_EQ(drawn.auto_augment, AutoAugmentPolicy::kRandAugment);
  EXPECT_EQ(drawn.magnitude, 30);
  EXPECT_EQ(drawn.num_ops, 3);
  EXPECT_EQ(drawn.random_erase, 0.25);
  EXPECT_EQ(make("glyphs:train=1,validation=1,auto_augment=trivial-augment-wide")
                .augmentation.auto_augment,
            AutoAugmentPolicy::kTrivialAugmentWide);
}

TEST(MakeDataset, SaysWhatAnOptionTakes) {
  const auto failure = [](const std::string& option) {
    return test::failure_of<UsageError>([&] { make("glyphs:train=1,validation=1," + option); });
  };
  EXPECT_THAT(failure("auto_augment=wide"),
              AllOf(HasSubstr("none"), HasSubstr("trivial-augment-wide, rand-augment")));
  EXPECT_THAT(failure("magnitude=31"), HasSubstr("a whole number in [0, 30]"));
  EXPECT_THAT(failure("num_ops=0"), HasSubstr("a whole number of at least 1"));
  EXPECT_THAT(failure("random_erase=1.5"), HasSubstr("a number in [0, 1]"));
}

TEST(MakeDataset, LimitsTheSplits) {
  const auto splits = make("glyphs:train=30,validation=20,train_limit=7,validation_limit=50");
  EXPECT_EQ(splits.train->size(), 7);
  EXPECT_EQ(splits.validation->size(), 20);
  const auto whole = make("glyphs:train=30,validation=20");
  EXPECT_EQ(whole.train->size(), 30);
  const auto counts = class_counts(*splits.train), all = class_counts(*whole.train);
  for (std::size_t c = 0; c < counts.size(); ++c) {
    EXPECT_NEAR(static_cast<double>(counts[c]), static_cast<double>(all[c]) * 7 / 30, 1) << c;
  }
}

DatasetInfo two_classes() {
  return {.name = "test",
          .image = {.channels = 1, .height = 1, .width = 2},
          .class_names = {"a", "b"},
          .mean = {0.5F},
          .deviation = {0.5F}};
}

TEST(MakeDataset, LeavesImagesOfLaterClassesOut) {
  const auto whole = make("glyphs:train=400,validation=20");
  const auto splits = make("glyphs:train=400,validation=20,imbalance=8");
  const auto before = class_counts(*whole.train);
  const auto after = class_counts(*splits.train);
  const double most = static_cast<double>(*std::ranges::max_element(before));
  for (std::size_t c = 0; c < after.size(); ++c) {
    const double tail = std::round(most * std::pow(8, -static_cast<double>(c) / 9));
    EXPECT_EQ(after[c], std::min(before[c], static_cast<std::int64_t>(tail))) << "class " << c;
  }
  EXPECT_EQ(splits.validation->size(), 20);
  EXPECT_THAT(test::failure_of<UsageError>([] { make("glyphs:imbalance=0.5"); }),
              HasSubstr("a number of at least 1"));
}

TEST(InMemoryDataset, GivesEachImage) {
  const InMemoryDataset dataset(two_classes(), {1, 2, 3, 4, 5, 6}, {0, 1, 0});
  std::vector<std::uint8_t> scratch;
  EXPECT_EQ(dataset.size(), 3);
  EXPECT_EQ(dataset.label(1), 1);
  EXPECT_THAT(dataset.pixels(2, scratch), ElementsAre(5, 6));
}

TEST(InMemoryDataset, FailsWhenPixelsAndLabelsDiffer) {
  EXPECT_THAT(test::failure_of([] {
                InMemoryDataset(two_classes(), {1, 2, 3}, {0, 1});
              }),
              AllOf(HasSubstr("'test'"), HasSubstr("3 bytes"), HasSubstr("2 images")));
  EXPECT_THROW(InMemoryDataset(two_classes(), {1, 2}, {0, 1}), Error);
  EXPECT_THROW(InMemoryDataset(two_classes(), {1, 2}, {}), Error);
}

TEST(InMemoryDataset, FailsOnALabelOutOfRange) {
  EXPECT_THAT(test::failure_of([] {
                InMemoryDataset(two_classes(), {1, 2, 3, 4}, {0, 2});
              }),
              AllOf(HasSubstr("label 2 of image 1"), HasSubstr("0 to 1")));
  EXPECT_THROW(InMemoryDataset(two_classes(), {1, 2}, {-1}), Error);
}

/// Images of one channel and pixels that tell their number, of classes a and b.
std::shared_ptr<const Dataset> numbered(std::vector<std::int64_t> labels) {
  std::vector<std::uint8_t> pixels;
  for (std::size_t i = 0; i < labels.size(); ++i)
    pixels.insert(pixels.end(), 2, static_cast<std::uint8_t>(i));
  return std::make_shared<InMemoryDataset>(two_classes(), std::move(pixels), std::move(labels));
}

TEST(Limited, IsTheDataSetItselfWhenItIsSmall) {
  const auto dataset = numbered({0, 1});
  EXPECT_EQ(limited(dataset, 2), dataset);
  EXPECT_EQ(limited(dataset, 9), dataset);
}

TEST(Limited, HasTheFirstImagesOfEachClassByItsShare) {
  const std::vector<std::pair<std::int64_t, std::vector<int>>> expected = {
      {1, {0}}, {2, {0, 6}}, {3, {0, 1, 6}}, {4, {0, 1, 2, 6}}, {6, {0, 1, 2, 3, 6, 7}}};
  std::vector<std::uint8_t> scratch;
  for (const auto& [count, images] : expected) {
    const auto found = limited(numbered({0, 0, 0, 0, 0, 0, 1, 1, 1}), count);
    ASSERT_EQ(found->size(), count);
    for (std::int64_t i = 0; i < count; ++i)
      EXPECT_EQ(found->pixels(i, scratch)[0], images[static_cast<std::size_t>(i)]) << count;
  }
}

TEST(LongTailed, KeepsTheFirstImagesOfRareClasses) {
  const auto tail = long_tailed(numbered({1, 0, 1, 0, 0, 1, 1, 0}), 2);
  std::vector<std::uint8_t> scratch;
  ASSERT_EQ(tail->size(), 6);
  const std::vector<int> kept = {0, 1, 2, 3, 4, 7};
  for (std::int64_t i = 0; i < 6; ++i)
    EXPECT_EQ(tail->pixels(i, scratch)[0], kept[static_cast<std::size_t>(i)]) << i;
  EXPECT_THAT(class_counts(*tail), ElementsAre(4, 2));
}

TEST(LongTailed, KeepsAnImageOfEachClassThatHasOne) {
  EXPECT_THAT(class_counts(*long_tailed(numbered({0, 0, 1, 1}), 1e9)), ElementsAre(2, 1));
  EXPECT_THAT(class_counts(*long_tailed(numbered({0, 0}), 1e9)), ElementsAre(2, 0));
}

TEST(LongTailed, IsTheDataSetItselfWithoutImbalance) {
  const auto dataset = numbered({0, 1});
  EXPECT_EQ(long_tailed(dataset, 1), dataset);
}

}  // namespace
}  // namespace yoke
