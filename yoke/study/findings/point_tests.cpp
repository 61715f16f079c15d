#include "yoke/study/findings/point_tests.h"

#include <algorithm>

namespace yoke::study {
namespace {

std::string verdict_of(const TestedPoint& point, const TestedPoint& best) {
  if (!point.whole()) return "not in every run";
  if (point.sample.n < 2 || best.sample.n < 2) return "too few runs to tell";
  if (!point.holm_p) return "nothing varies";
  return *point.holm_p < kLevel ? "differs" : "cannot be told";
}

}  // namespace

std::vector<TestedPoint> test_points(const Comparison& comparison, const std::string& number,
                                     bool less_is_better) {
  std::vector<TestedPoint> points;
  for (const auto& group : comparison.groups) {
    const Sample sample = group.sample(number);
    const int completed = group.completed();
    if (completed == 0 || sample.n == 0) continue;
    points.push_back({.label = group.label, .runs = completed, .sample = sample});
  }
  std::stable_sort(points.begin(), points.end(), [&](const auto& a, const auto& b) {
    if (a.whole() != b.whole()) return a.whole();
    return less_is_better ? a.sample.median < b.sample.median : a.sample.median > b.sample.median;
  });
  std::vector<std::optional<double>> p;
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (points[i].whole()) points[i].difference = compare(points[0].sample, points[i].sample);
    p.push_back(points[i].difference.p);
  }
  const auto raised = holm(p);
  for (std::size_t i = 1; i < points.size(); ++i) {
    points[i].holm_p = raised[i - 1];
    points[i].verdict = verdict_of(points[i], points[0]);
  }
  if (!points.empty()) points[0].verdict = points[0].whole() ? "best" : "not in every run";
  return points;
}

}  // namespace yoke::study
