// Images by how sure a model is of them, on one rank and on several.
#include "yoke/train/evaluation/confidences.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/support/ranks.h"
#include "yoke/comm/factory.h"

namespace yoke {
namespace {

Likeliest sure_by(const std::vector<float>& probabilities) {
  const auto probability = torch::tensor(probabilities);
  return {.classes = torch::zeros_like(probability, torch::kInt64), .probability = probability};
}

std::vector<ConfidenceBin> gathered(const Confidences& confidences) {
  return confidences.gather(*make_communicator("single"));
}

TEST(Likeliest, AreClassesWithTheirSoftmax) {
  const auto found = likeliest_classes(
      torch::tensor({{0.0F, std::log(3.0F), 0.0F}, {std::log(8.0F), 0.0F, 0.0F}}));
  EXPECT_TRUE(found.classes.equal(torch::tensor({1, 0}, torch::kInt64)));
  EXPECT_TRUE(torch::allclose(found.probability, torch::tensor({0.6F, 0.8F})));
}

TEST(Confidences, CountImagesAndRightAnswersOfEachBin) {
  const float above = std::nextafter(0.5F, 1.0F);
  Confidences confidences;
  // 0.25 and 0.5 are exact; 15 times these are 3.75 and 7.5.
  confidences.add(sure_by({1e-7F, 0.25F, 0.5F, above, 1.0F, 1.0F}),
                  torch::tensor({false, true, true, false, true, false}, torch::kBool));
  const auto bins = gathered(confidences);
  ASSERT_EQ(bins.size(), 15U);
  std::vector<std::int64_t> images;
  for (const auto& bin : bins) images.push_back(bin.images);
  EXPECT_EQ(images, (std::vector<std::int64_t>{1, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 2}));
  EXPECT_EQ(bins[3].confidence, 0.25);
  EXPECT_EQ(bins[3].accuracy, 1);
  EXPECT_EQ(bins[7].accuracy, 0.5);
  EXPECT_EQ(bins[14].confidence, 1);
  EXPECT_TRUE(std::isnan(bins[1].confidence));
}

TEST(Confidences, TellNeighboursOfAnEdgeApart) {
  // 0.2 ends the third bin; in fp32 one neighbour is below it, the other above.
  const float below = std::nextafter(0.2F, 0.0F);
  ASSERT_LT(static_cast<double>(below), 0.2);
  ASSERT_GT(static_cast<double>(0.2F), 0.2);
  Confidences confidences;
  confidences.add(sure_by({below, 0.2F}), torch::tensor({true, false}, torch::kBool));
  const auto bins = gathered(confidences);
  EXPECT_EQ(bins[2].images, 1);
  EXPECT_EQ(bins[2].accuracy, 1);
  EXPECT_EQ(bins[3].images, 1);
}

TEST(Confidences, GiveTheErrorOfTheFormula) {
  Confidences confidences;
  confidences.add(sure_by({0.95F, 0.99F}), torch::tensor({true, false}, torch::kBool));
  confidences.add(sure_by({0.55F}), torch::tensor({true}, torch::kBool));
  // Bins (14/15, 1] and (8/15, 9/15]; fp32 rounds the confidences.
  const double expected = 2.0 / 3 * std::abs(0.5 - 0.97) + 1.0 / 3 * std::abs(1 - 0.55);
  EXPECT_NEAR(expected_calibration_error(gathered(confidences)), expected, 1e-7);
}

TEST(Confidences, AreBitwiseTheSameForAnyNumberOfRanks) {
  const auto seen = [](int rank, int ranks) {
    Confidences confidences;
    for (int i = rank; i < 1000; i += ranks) {
      const auto sure = 0.1F + 0.9F * std::abs(std::sin(static_cast<float>(i)));
      confidences.add(sure_by({sure}), torch::tensor({i % 3 == 0}, torch::kBool));
    }
    return confidences;
  };
  const auto same = [](const ConfidenceBin& a, const ConfidenceBin& b) {
    return a.images == b.images &&
           (a.images == 0 || (a.confidence == b.confidence && a.accuracy == b.accuracy));
  };
  const auto expected = gathered(seen(0, 1));
  test::run_ranks({3}, [&](const Group& group) {
    const auto ranks = make_communicator("gloo", group);
    const auto found = seen(group.rank, group.size).gather(*ranks);
    EXPECT_TRUE(std::equal(found.begin(), found.end(), expected.begin(), expected.end(), same));
  });
}

TEST(Confidences, LeaveOutScoresThatAreNoNumbers) {
  Confidences confidences;
  const float none = std::numeric_limits<float>::quiet_NaN();
  const auto likeliest = likeliest_classes(torch::tensor({{none, 0.0F}, {20.0F, 0.0F}}));
  confidences.add(likeliest, torch::tensor({false, true}, torch::kBool));
  const auto bins = gathered(confidences);
  EXPECT_EQ(bins.back().images, 1);
  EXPECT_EQ(bins.back().accuracy, 1);
  for (std::size_t b = 0; b + 1 < bins.size(); ++b) EXPECT_EQ(bins[b].images, 0) << b;
}

}  // namespace
}  // namespace yoke
