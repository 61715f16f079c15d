// yoke/study/figures/difference_figures.cpp: points beside the first, run for run with the same
// seed.
#include <fmt/format.h>

#include "yoke/run/summary.h"
#include "yoke/study/figures/figures.h"
#include "yoke/study/findings/pairs.h"

namespace yoke::study {
namespace {

constexpr double kPercent = 100;

Differences::Row row_of(const PairedPoint& point) {
  Differences::Row row{.label = point.label, .value = kPercent * point.difference.mean};
  if (const auto& interval = point.difference.interval) {
    row.interval = {kPercent * interval->first, kPercent * interval->second};
  }
  return row;
}

}  // namespace

std::vector<Figure> difference_figures(const Comparison& comparison) {
  Differences differences{.x_label = "top-1 accuracy less that of the first (points)", .rows = {}};
  for (const auto& point : pair_points(comparison, key::kValTop1, false)) {
    if (differences.rows.size() < kMostBars) differences.rows.push_back(row_of(point));
  }
  if (differences.rows.empty()) return {};
  return {{.name = "accuracy-beside-the-first",
           .title = fmt::format("Accuracy beside '{}'", comparison.base),
           .caption =
               "Means over pairs of runs with the same seed, and their 95 % intervals. Left of "
               "zero is worse, right of it better.",
           .graph = std::move(differences)}};
}

}  // namespace yoke::study
