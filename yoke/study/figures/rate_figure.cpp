#include "yoke/study/figures/rate_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace yoke::study {
namespace {

constexpr double kRoom = 1.25;  // of the loss, over the first; what is above is divergence

Series line(const RateTest& test, double RatePoint::*loss, const char* title, bool lighter) {
  Series series{.title = title, .points = {}, .marked = false, .lighter = lighter};
  for (const auto& point : test.points()) {
    if (std::isfinite(point.*loss)) series.points.push_back({.x = point.lr, .y = point.*loss});
  }
  return series;
}

/// A mark at `lr`, on the smoothed line.
Series mark(const RateTest& test, double lr, const char* title, int style) {
  const auto& points = test.points();
  const auto found = std::find_if(points.begin(), points.end(),
                                  [&](const RatePoint& point) { return point.lr >= lr; });
  return {.title = fmt::format("{}: {:.2g}", title, lr),
          .points = {{.x = lr, .y = found->smoothed}},
          .style = style};
}

}  // namespace

Figure rate_figure(const RateTest& test, const std::string& title) {
  Curves curves{.x_label = "learning rate",
                .y_label = "cross-entropy per image (nats)",
                .series = {line(test, &RatePoint::smoothed, "smoothed", /*lighter=*/false),
                           line(test, &RatePoint::loss, "each step", /*lighter=*/true)},
                .y_most = kRoom * test.points().front().smoothed,
                .x_log = true};
  if (const auto suggested = test.suggestions()) {
    curves.series.push_back(mark(test, suggested->minimum, "minimum / 10", 1));
    curves.series.push_back(mark(test, suggested->steep, "steepest descent", 2));
  }
  return {.name = "loss-over-rate",
          .title = title,
          .caption = "The loss of each step is that before it.",
          .graph = std::move(curves)};
}

}  // namespace yoke::study
