#include "yoke/forecast/interpolate.h"

#include <algorithm>

namespace yoke::forecast {
namespace {

double on_line(const Point& a, const Point& b, double x) {
  return a.second + (x - a.first) * (b.second - a.second) / (b.first - a.first);
}

double in_proportion(const Point& point, double x) {
  return point.first > 0 ? point.second * x / point.first : point.second;
}

double weighted_sum(const std::vector<Point>& points, double (*term)(const Point&)) {
  double sum = 0;
  for (const Point& point : points) sum += term(point) / (point.second * point.second);
  return sum;
}

}  // namespace

double interpolate(const std::vector<Point>& points, double x) {
  if (points.size() == 1) return in_proportion(points.front(), x);
  auto right =
      std::upper_bound(points.begin() + 1, points.end() - 1, x,
                       [](double value, const Point& point) { return value < point.first; });
  const Point &a = *(right - 1), &b = *right;
  const bool beyond = x < a.first || x > b.first;
  const double y = on_line(a, b, x);
  if (!beyond) return y;
  const bool falls = b.second < a.second;
  if (x > b.first) return falls ? in_proportion(b, x) : y;
  return falls || y < 0 ? in_proportion(a, x) : y;
}

Link fit_link(const std::vector<Point>& points) {
  const double w = weighted_sum(points, [](const Point&) { return 1.0; });
  const double wx = weighted_sum(points, [](const Point& p) { return p.first; });
  const double wxx = weighted_sum(points, [](const Point& p) { return p.first * p.first; });
  const double wy = weighted_sum(points, [](const Point& p) { return p.second; });
  const double wxy = weighted_sum(points, [](const Point& p) { return p.first * p.second; });
  const double determinant = w * wxx - wx * wx;
  if (determinant <= 0) return {.latency_seconds = wy / w, .seconds_per_byte = 0};
  const double alpha = (wy * wxx - wxy * wx) / determinant;
  const double beta = (w * wxy - wx * wy) / determinant;
  if (beta < 0) return {.latency_seconds = wy / w, .seconds_per_byte = 0};
  if (alpha < 0) return {.latency_seconds = 0, .seconds_per_byte = wxy / wxx};
  return {.latency_seconds = alpha, .seconds_per_byte = beta};
}

}  // namespace yoke::forecast
