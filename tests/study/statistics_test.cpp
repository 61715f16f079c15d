// Numbers to compare with are those of tables of Student's t, and of t.test(1:5, 2 * 1:5) of R.
#include "yoke/study/findings/statistics.h"

#include <gtest/gtest.h>

#include "yoke/core/error.h"
#include "yoke/study/findings/student.h"

namespace yoke::study {
namespace {

TEST(Student, HasTheQuantilesOfTables) {
  EXPECT_NEAR(student_quantile(0.975, 1), 12.7062047, 1e-6);
  EXPECT_NEAR(student_quantile(0.975, 2), 4.30265273, 1e-7);
  EXPECT_NEAR(student_quantile(0.975, 9), 2.26215716, 1e-7);
  EXPECT_NEAR(student_quantile(0.975, 1e6), 1.95996636, 1e-5);
  EXPECT_NEAR(student_quantile(0.025, 9), -2.26215716, 1e-7);
}

TEST(Student, ProbabilityOfOneDegreeIsCauchys) {
  EXPECT_NEAR(student_cdf(1, 1), 0.75, 1e-12);
  EXPECT_NEAR(student_cdf(-1, 1), 0.25, 1e-12);
  EXPECT_NEAR(student_cdf(0, 7), 0.5, 1e-12);
}

TEST(Summarise, GivesMedianExtremesAndInterval) {
  const Sample sample = summarise({4, 1, 3, 2});
  EXPECT_EQ(sample.n, 4);
  EXPECT_DOUBLE_EQ(sample.median, 2.5);
  EXPECT_DOUBLE_EQ(sample.least, 1);
  EXPECT_DOUBLE_EQ(sample.most, 4);
  EXPECT_NEAR(sample.deviation, 1.290994449, 1e-9);
  ASSERT_TRUE(sample.interval);
  // 2.5 +- 3.182446305 * 1.290994449 / 2
  EXPECT_NEAR(sample.interval->first, 0.445739744, 1e-8);
  EXPECT_NEAR(sample.interval->second, 4.554260256, 1e-8);
}

TEST(Summarise, HasNoIntervalForASingleValue) {
  const Sample sample = summarise({7});
  EXPECT_DOUBLE_EQ(sample.median, 7);
  EXPECT_FALSE(sample.interval);
  EXPECT_THROW(summarise({}), Error);
}

TEST(Compare, IsWelchsTest) {
  // Means 3 and 6, variances 2.5 and 10: t = 1.897367, 5.882353 degrees of freedom.
  const auto difference = compare(summarise({1, 2, 3, 4, 5}), summarise({2, 4, 6, 8, 10}));
  EXPECT_DOUBLE_EQ(difference.ratio, 2);
  ASSERT_TRUE(difference.p);
  EXPECT_NEAR(*difference.p, 0.1075, 1e-3);
}

TEST(Compare, SaysNothingOfTooFewOrOfEqualValues) {
  EXPECT_FALSE(compare(summarise({1}), summarise({2, 3})).p);
  EXPECT_FALSE(compare(summarise({1, 1}), summarise({2, 2})).p);
}

TEST(Compare, SaysNothingWhereSquaresLeaveTheRange) {
  EXPECT_FALSE(compare(summarise({1e-100, 2e-100}), summarise({1e-100, 3e-100})).p);
  EXPECT_FALSE(compare(summarise({1e200, 2e200}), summarise({1e200, 3e200})).p);
}

TEST(Holm, RaisesEachByHowManyAreLeft) {
  const auto raised = holm({0.01, std::nullopt, 0.04, 0.03});
  EXPECT_NEAR(*raised[0], 0.03, 1e-12);
  EXPECT_FALSE(raised[1]);
  EXPECT_NEAR(*raised[2], 0.06, 1e-12);
  EXPECT_NEAR(*raised[3], 0.06, 1e-12);
}

}  // namespace
}  // namespace yoke::study
