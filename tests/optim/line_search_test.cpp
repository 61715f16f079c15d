// tests/optim/line_search_test.cpp: the strong-Wolfe line search on functions of one number.
#include "yoke/optim/optimizers/lbfgs/line_search.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>
#include <limits>
#include <vector>

namespace yoke {
namespace {

using Function = std::function<double(double)>;

/// A loss along a line and its derivative.
struct Curve {
  Function loss, slope;

  Trial at(double length) const {
    return {.length = length, .loss = loss(length), .slope = slope(length), .gradient = {}};
  }
  Found search(double length, int most, double narrowest = 1e-9) {
    const Line line{.evaluate =
                        [this](double at_length) {
                          tried.push_back(at_length);
                          return at(at_length);
                        },
                    .narrow = [narrowest](double width) { return width < narrowest; }};
    return search_strong_wolfe(line, at(0), length, most);
  }
  std::vector<double> tried;
};

Curve parabola() {  // lowest at 3
  return {[](double x) { return (x - 3) * (x - 3); }, [](double x) { return 2 * (x - 3); }, {}};
}

Curve waves() {  // many valleys, ever deeper
  return {[](double x) { return std::cos(5 * x + 1) - 0.3 * x; },
          [](double x) { return -5 * std::sin(5 * x + 1) - 0.3; },
          {}};
}

void expect_strong_wolfe(const Curve& curve, const Found& found) {
  const Trial start = curve.at(0);
  EXPECT_LE(found.at.loss, start.loss + 1e-4 * found.at.length * start.slope);
  EXPECT_LE(std::abs(found.at.slope), 0.9 * std::abs(start.slope));
}

TEST(LineSearch, FindsAStrongWolfePointFromNearAndFar) {
  for (Curve curve : {parabola(), waves()}) {
    for (const double length : {1e-4, 0.1, 1.0, 7.0, 1e3}) {
      curve.tried.clear();
      const Found found = curve.search(length, 26);
      SCOPED_TRACE(length);
      EXPECT_TRUE(found.finite);
      EXPECT_EQ(found.evaluations, static_cast<int>(curve.tried.size()));
      EXPECT_EQ(curve.tried.front(), length);
      expect_strong_wolfe(curve, found);
    }
  }
}

TEST(LineSearch, TakesTheFirstPointWhenItWillDo) {
  Curve curve = parabola();
  const Found found = curve.search(2.5, 26);
  EXPECT_EQ(found.evaluations, 1);
  EXPECT_EQ(found.at.length, 2.5);
}

TEST(LineSearch, NeverEvaluatesMoreThanItMay) {
  for (int most = 1; most < 8; ++most) {
    for (const double length : {1e-6, 1e6}) {
      Curve curve = waves();
      const Found found = curve.search(length, most);
      EXPECT_LE(curve.tried.size(), static_cast<std::size_t>(most));
      EXPECT_LE(found.at.loss, curve.at(0).loss);
    }
  }
}

TEST(LineSearch, EndsOnALineWithoutAWolfePoint) {
  Curve falling{[](double x) { return -x; }, [](double) { return -1; }, {}};
  EXPECT_EQ(falling.search(1, 26).evaluations, 26);
  Curve corner{
      [](double x) { return std::abs(x - 1.5); }, [](double x) { return x < 1.5 ? -1 : 1; }, {}};
  const Found found = corner.search(1, 1000, 1e-3);
  EXPECT_LT(found.evaluations, 100) << "the bracket is narrower than what matters";
  EXPECT_NEAR(found.at.length, 1.5, 1e-2);
}

TEST(LineSearch, StaysWhereTheLossIsFiniteAndSaysSo) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  Curve wall{[](double x) { return x < 0.5 ? -x : kNan; }, [](double) { return -1; }, {}};
  const Found at_once = wall.search(1, 26);
  EXPECT_FALSE(at_once.finite);
  EXPECT_EQ(at_once.evaluations, 1);
  EXPECT_EQ(at_once.at.length, 0);
  const Found later = wall.search(0.25, 26);
  EXPECT_FALSE(later.finite);
  EXPECT_EQ(later.at.length, 0.25);
  Curve hole{[](double x) { return x > 0.2 && x < 0.8 ? kNan : x * x - x; },
             [](double x) { return 2 * x - 1; },
             {}};
  const Found between = hole.search(1.5, 26);
  EXPECT_FALSE(between.finite);
  EXPECT_EQ(between.at.length, 0);
}

}  // namespace
}  // namespace yoke
