#include "yoke/study/figures/downsample.h"

#include <algorithm>
#include <cmath>

namespace yoke::study {

std::vector<Point> downsample(std::vector<Point> points, std::size_t most) {
  std::erase_if(points, [](const Point& p) { return !std::isfinite(p.x) || !std::isfinite(p.y); });
  if (points.size() <= most) return points;
  const std::size_t each = (points.size() + most - 1) / most;
  std::vector<Point> result;
  for (std::size_t begin = 0; begin < points.size(); begin += each) {
    const std::size_t end = std::min(begin + each, points.size());
    Point sum;
    for (std::size_t i = begin; i < end; ++i) {
      sum.x += points[i].x;
      sum.y += points[i].y;
    }
    const auto count = static_cast<double>(end - begin);
    result.push_back({.x = sum.x / count, .y = sum.y / count});
  }
  return result;
}

}  // namespace yoke::study
