// Reading between measured points, and lines through them.
#include "yoke/forecast/interpolate.h"

#include <gtest/gtest.h>

namespace yoke::forecast {
namespace {

TEST(Interpolate, ReadsOnLinesBetweenPoints) {
  const std::vector<Point> points = {{2, 10}, {4, 20}, {8, 80}};
  EXPECT_DOUBLE_EQ(interpolate(points, 2), 10);
  EXPECT_DOUBLE_EQ(interpolate(points, 3), 15);
  EXPECT_DOUBLE_EQ(interpolate(points, 4), 20);
  EXPECT_DOUBLE_EQ(interpolate(points, 5), 35);
  EXPECT_DOUBLE_EQ(interpolate(points, 8), 80);
}

TEST(Interpolate, GoesOnAsTheOuterPointsDo) {
  const std::vector<Point> points = {{2, 10}, {4, 18}, {8, 20}};
  EXPECT_DOUBLE_EQ(interpolate(points, 1), 6);
  EXPECT_DOUBLE_EQ(interpolate(points, 16), 24);
}

TEST(Interpolate, IsInProportionWhenALineWouldFall) {
  EXPECT_DOUBLE_EQ(interpolate({{4, 20}}, 6), 30);
  EXPECT_DOUBLE_EQ(interpolate({{4, 20}, {8, 10}}, 16), 20);
  EXPECT_DOUBLE_EQ(interpolate({{4, 20}, {8, 10}}, 2), 10);
  EXPECT_DOUBLE_EQ(interpolate({{4, 1}, {8, 9}}, 2), 0.5);  // the line is at -3
}

TEST(FitLink, FindsTheLineThatPointsLieOn) {
  const Link link = fit_link({{1e3, 3e-5 + 1e-6}, {1e6, 3e-5 + 1e-3}, {1e7, 3e-5 + 1e-2}});
  EXPECT_NEAR(link.latency_seconds, 3e-5, 1e-12);
  EXPECT_NEAR(link.seconds_per_byte, 1e-9, 1e-16);
}

TEST(FitLink, WeighsErrorsByWhatIsMeasured) {
  // A hundredth off at each end: no fit can be further off than that.
  const std::vector<Point> points = {{1e3, 1.01e-5}, {1e7, 1e-2 * 0.99}};
  const Link link = fit_link(points);
  for (const auto& [bytes, seconds] : points) {
    EXPECT_NEAR(link.seconds({1, bytes}) / seconds, 1, 0.01);
  }
}

TEST(FitLink, HasNoNegativeParts) {
  const Link falls = fit_link({{1e3, 2e-5}, {1e6, 1e-5}});
  EXPECT_GT(falls.latency_seconds, 0);
  EXPECT_EQ(falls.seconds_per_byte, 0);
  const Link steep = fit_link({{1e3, 1e-6}, {1e6, 1e-2}});
  EXPECT_EQ(steep.latency_seconds, 0);
  EXPECT_GT(steep.seconds_per_byte, 0);
  const Link one = fit_link({{1e3, 5e-6}});
  EXPECT_DOUBLE_EQ(one.latency_seconds, 5e-6);
}

}  // namespace
}  // namespace yoke::forecast
