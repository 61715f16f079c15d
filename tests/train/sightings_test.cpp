// Which images of a split are picked out, on one rank and on several.
#include "yoke/train/evaluation/sightings.h"

#include <gtest/gtest.h>
#include <torch/nn/functional.h>

#include <limits>

#include "tests/support/ranks.h"
#include "yoke/comm/factory.h"
#include "yoke/run/image_predictions.h"

namespace yoke {
namespace {

/// Two classes; image i is of class 0 and has it as probable as `probabilities[i]`.
struct Split {
  std::vector<double> probabilities;

  /// As `rank` of `ranks` sees it, which has every ranks-th image.
  Sightings seen(int rank, int ranks) const {
    Sightings sightings;
    for (std::size_t i = 0; i < probabilities.size(); ++i) {
      if (static_cast<int>(i) % ranks != rank) continue;
      const double p = probabilities[i];
      const std::int64_t image = static_cast<std::int64_t>(i);
      const auto scores = torch::tensor({{std::log(p), std::log(1 - p)}}, torch::kFloat32);
      sightings.add(likeliest_classes(scores), torch::zeros({1}, torch::kInt64),
                    std::span(&image, 1));
    }
    return sightings;
  }
};

std::vector<std::int64_t> images(const std::vector<Sighting>& sightings) {
  std::vector<std::int64_t> numbers;
  for (const auto& sighting : sightings) numbers.push_back(sighting.image);
  return numbers;
}

TEST(Sightings, AreMistakesThenDoubtsWithWhatTheModelSaid) {
  const Split split{{0.9, 0.1, 0.6, 0.4, 0.99}};
  const auto communicator = make_communicator("single");
  const auto found = split.seen(0, 1).gather(*communicator);
  EXPECT_EQ(images(found), (std::vector<std::int64_t>{1, 3, 2, 0, 4}));
  EXPECT_EQ(found[0].label, 0);
  EXPECT_EQ(found[0].predicted, 1);
  EXPECT_NEAR(found[0].probability, 0.9, 1e-6);
  EXPECT_EQ(found[2].predicted, 0);
  EXPECT_NEAR(found[2].probability, 0.6, 1e-6);
}

TEST(Sightings, AreTheSameForAnyNumberOfRanks) {
  Split split;
  // Each twice, which only the numbers of the images tell apart.
  for (int i = 0; i < 200; ++i) split.probabilities.push_back(0.003 + 0.0098 * ((i * 37) % 100));
  const auto communicator = make_communicator("single");
  const auto expected = split.seen(0, 1).gather(*communicator);
  ASSERT_EQ(expected.size(), 2 * kMostKept);
  test::run_ranks({3}, [&](const Group& group) {
    const auto ranks = make_communicator("gloo", group);
    EXPECT_EQ(split.seen(group.rank, group.size).gather(*ranks), expected);
  });
}

TEST(Sightings, LeaveOutScoresThatAreNoNumbers) {
  Sightings sightings;
  const std::vector<std::int64_t> numbers = {4, 7};
  const float none = std::numeric_limits<float>::quiet_NaN();
  sightings.add(likeliest_classes(torch::tensor({{none, 0.0F}, {1.0F, 0.0F}})),
                torch::zeros({2}, torch::kInt64), numbers);
  const auto communicator = make_communicator("single");
  EXPECT_EQ(images(sightings.gather(*communicator)), (std::vector<std::int64_t>{7}));
}

}  // namespace
}  // namespace yoke
