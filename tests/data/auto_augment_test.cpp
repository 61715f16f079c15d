// tests/data/auto_augment_test.cpp: what TrivialAugmentWide and RandAugment draw.
#include "yoke/data/transforms/auto_augment.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include "tests/data/dataset_files.h"
#include "tests/data/random_pixels.h"
#include "yoke/core/error.h"

namespace yoke {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr Augmentation kWide{.auto_augment = AutoAugmentPolicy::kTrivialAugmentWide};
constexpr Augmentation kRand{.auto_augment = AutoAugmentPolicy::kRandAugment};
const ImageShape kShape{3, 17, 19};

/// How often each magnitude of each operation was drawn, of `draws`.
using Counts = std::map<std::string, std::map<double, int>>;

Counts count_draws(const AutoAugment& augment, int draws) {
  Counts counts;
  RandomStream random(4, 0, 0, Purpose::kTest);
  for (int i = 0; i < draws; ++i) {
    const auto [operation, magnitude] = augment.draw(random);
    ++counts[augment.operations()[operation].name][magnitude];
  }
  return counts;
}

int total(const std::map<double, int>& counts) {
  int sum = 0;
  for (const auto& [magnitude, count] : counts) sum += count;
  return sum;
}

/// That of counts that all have the mean `expected`.
double chi_square(const std::map<double, int>& counts, double expected) {
  double sum = 0;
  for (const auto& [magnitude, count] : counts) {
    sum += (count - expected) * (count - expected) / expected;
  }
  return sum;
}

/// Draws are fixed by their seed; a fair generator passes this in all but one of 30,000 cases.
double most_chi_square(double freedom) { return freedom + 4 * std::sqrt(2 * freedom) + 8; }

void expect_all_operations_alike(const Counts& counts, int draws) {
  ASSERT_EQ(counts.size(), 14);
  std::map<double, int> totals;
  for (const auto& [name, magnitudes] : counts) {
    totals[static_cast<double>(totals.size())] = total(magnitudes);
  }
  EXPECT_LE(chi_square(totals, draws / 14.0), most_chi_square(13));
}

TEST(TrivialAugmentWide, DrawsAllOperationsBinsAndSignsAlike) {
  constexpr int kDraws = 140'000;
  const AutoAugment augment(kWide, kShape);
  const auto counts = count_draws(augment, kDraws);
  expect_all_operations_alike(counts, kDraws);
  for (const auto& operation : augment.operations()) {
    auto magnitudes = counts.at(operation.name);
    const double draws = total(magnitudes);
    if (!operation.has_magnitude()) {
      EXPECT_EQ(magnitudes.size(), 1) << operation.name;
    } else if (operation.is_whole) {
      EXPECT_EQ(magnitudes.size(), 7) << operation.name;  // 8 to 2 bits
      EXPECT_NEAR(magnitudes[8], draws * 3 / 31, 5 * std::sqrt(draws * 3 / 31));
      EXPECT_NEAR(magnitudes[5], draws * 5 / 31, 5 * std::sqrt(draws * 5 / 31));
    } else if (operation.is_signed) {
      EXPECT_EQ(magnitudes.size(), 61) << operation.name;
      EXPECT_NEAR(magnitudes[0], draws / 31, 5 * std::sqrt(draws / 31)) << operation.name;
      magnitudes.erase(0);
      EXPECT_LE(chi_square(magnitudes, draws / 62), most_chi_square(59)) << operation.name;
    } else {
      EXPECT_EQ(magnitudes.size(), 31) << operation.name;
      EXPECT_LE(chi_square(magnitudes, draws / 31), most_chi_square(30)) << operation.name;
    }
  }
}

TEST(RandAugment, DrawsAllOperationsAndSignsAlikeAtOneMagnitude) {
  constexpr int kDraws = 28'000;
  Augmentation strong = kRand;
  strong.magnitude = 30;
  const AutoAugment augment(strong, kShape);
  const auto counts = count_draws(augment, kDraws);
  expect_all_operations_alike(counts, kDraws);
  for (const auto& operation : augment.operations()) {
    const auto& magnitudes = counts.at(operation.name);
    EXPECT_EQ(magnitudes.size(), operation.is_signed ? 2 : 1) << operation.name;
    for (const auto& [magnitude, count] : magnitudes) {
      EXPECT_EQ(std::abs(magnitude), operation.last) << operation.name;
    }
    EXPECT_LE(chi_square(magnitudes, total(magnitudes) / static_cast<double>(magnitudes.size())),
              most_chi_square(1));
  }
}

std::vector<std::uint8_t> augmented(const Augmentation& augmentation, RandomStream& random) {
  auto image = test::random_pixels(kShape), spare = image;
  const auto result = AutoAugment(augmentation, kShape).apply(random, image, spare);
  return {result.begin(), result.end()};
}

TEST(AutoAugment, AppliesWhatItDrawsOneAfterTheOther) {
  Augmentation three = kRand;
  three.num_ops = 3;
  for (const auto& [augmentation, count] : {std::pair{kWide, 1}, {kRand, 2}, {three, 3}}) {
    const AutoAugment augment(augmentation, kShape);
    for (std::uint64_t image = 0; image < 50; ++image) {
      RandomStream random(5, 0, image, Purpose::kAugment), same = random;
      auto expected = test::random_pixels(kShape);
      for (int i = 0; i < count; ++i) {
        const auto [operation, magnitude] = augment.draw(same);
        const auto before = expected;
        augment.operations()[operation].apply(kShape, magnitude, before, expected);
      }
      EXPECT_EQ(augmented(augmentation, random), expected);
      EXPECT_EQ(random.next_64(), same.next_64());  // nothing else was drawn
    }
  }
}

TEST(AutoAugment, DrawsNothingWhenThereIsNone) {
  RandomStream random(5, 0, 0, Purpose::kAugment), same = random;
  EXPECT_EQ(augmented({}, random), test::random_pixels(kShape));
  EXPECT_EQ(random.next_64(), same.next_64());
}

TEST(AutoAugment, RefusesWhatIsOutOfRangeAndSaysWhatIsAllowed) {
  const auto failure = [](Augmentation augmentation, const ImageShape& shape = kShape) {
    return test::failure_of<UsageError>([&] { AutoAugment(augmentation, shape); });
  };
  auto wrong = kRand;
  for (const int magnitude : {-1, 31}) {
    wrong.magnitude = magnitude;
    EXPECT_THAT(failure(wrong),
                AllOf(HasSubstr(fmt::format("magnitude={} ", magnitude)), HasSubstr("0 to 30")));
  }
  wrong = kRand;
  wrong.num_ops = 0;
  EXPECT_THAT(failure(wrong), AllOf(HasSubstr("num_ops=0 "), HasSubstr("1 or more")));
  EXPECT_THAT(failure(kWide, {2, 5, 5}),
              AllOf(HasSubstr("not of 2"), HasSubstr("1 channel (grey) or 3")));
  EXPECT_NO_THROW(AutoAugment({}, {2, 5, 5}));
}

}  // namespace
}  // namespace yoke
