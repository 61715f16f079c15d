#include "yoke/train/evaluation/class_scores.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace yoke {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// Of images with these true classes and these predictions.
torch::Tensor confusion(std::int64_t classes, const std::vector<std::int64_t>& truths,
                        const std::vector<std::int64_t>& predictions) {
  auto cells = torch::zeros({classes, classes}, torch::kInt64);
  for (std::size_t i = 0; i < truths.size(); ++i) cells[truths[i]][predictions[i]] += 1;
  return cells;
}

TEST(BalancedAccuracy, IsTheMeanOverClassesWithImages) {
  EXPECT_DOUBLE_EQ(balanced_accuracy({1.0, kNone, 0.25}), 0.625);
  // The example of scikit-learn's balanced_accuracy_score: 3 of 4 and 1 of 2 are right.
  EXPECT_DOUBLE_EQ(balanced_accuracy({0.75, 0.5}), 0.625);
  EXPECT_TRUE(std::isnan(balanced_accuracy({kNone, kNone})));
}

TEST(MacroF1, IsThatOfScikitLearnsExample) {
  // f1_score([0, 1, 2, 0, 1, 2], [0, 2, 1, 0, 0, 1], average='macro') is 0.266...
  const auto cells = confusion(3, {0, 1, 2, 0, 1, 2}, {0, 2, 1, 0, 0, 1});
  EXPECT_DOUBLE_EQ(macro_f1(cells), 0.8 / 3);
}

TEST(MacroF1, IsTheHarmonicMeanOfPrecisionAndRecall) {
  const auto cells = confusion(2, {0, 0, 0, 0, 1, 1, 1}, {0, 0, 0, 1, 0, 1, 1});
  const double first = 0.75;  // precision and recall 3 of 4
  const double second = 2 * (2.0 / 3) * (2.0 / 3) / (2.0 / 3 + 2.0 / 3);  // 2 of 3
  EXPECT_DOUBLE_EQ(macro_f1(cells), (first + second) / 2);
  const auto other = confusion(2, {0, 0, 0, 0, 1}, {0, 1, 1, 1, 1});
  const double precision = 0.25, recall = 1;  // of class 1
  EXPECT_DOUBLE_EQ(macro_f1(other),
                   (2 * 1 * 0.25 / 1.25 + 2 * precision * recall / (precision + recall)) / 2);
}

TEST(MacroF1, TakesClassesThatAreTrueOrPredicted) {
  // Class 2 has no image but is predicted: it counts as 0. Class 3 does not occur.
  EXPECT_DOUBLE_EQ(macro_f1(confusion(4, {0, 1}, {0, 2})), (1.0 + 0 + 0) / 3);
  EXPECT_DOUBLE_EQ(macro_f1(confusion(4, {0, 1}, {0, 1})), 1);
  EXPECT_TRUE(std::isnan(macro_f1(confusion(4, {}, {}))));
}

}  // namespace
}  // namespace yoke
