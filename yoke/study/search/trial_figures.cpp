#include "yoke/study/search/trial_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "yoke/core/parse_number.h"
#include "yoke/study/findings/numbers.h"
#include "yoke/study/findings/statistics.h"

namespace yoke::study {
namespace {

/// Where a trial stands on the axis of a graph.
using Place = std::optional<double> (*)(const Trial& trial, const std::string& axis);

std::optional<double> number_of(const Trial& trial, const std::string&) {
  return static_cast<double>(trial.place + 1);
}

std::optional<double> value_of(const Trial& trial, const std::string& axis) {
  const auto value = trial.point->axes.find(axis);
  return value == trial.point->axes.end() ? std::nullopt : parse_number<double>(value->second);
}

/// A dot for each trial, in the look of its rung.
std::vector<Series> dots(const std::deque<Rung>& rungs, const std::vector<Trial>& trials,
                         const Number& metric, const std::string& axis, Place place) {
  std::vector<Series> all;
  for (std::size_t i = 0; i < rungs.size() && i < kMostLines; ++i) {
    const std::string length = rungs[i].length();
    Series series{.title = length.empty() ? "a trial" : "after " + length,
                  .points = {},
                  .style = static_cast<int>(i),
                  .joined = false};
    for (const auto& trial : trials) {
      const auto x = place(trial, axis);
      if (x && trial.scores[i]) {
        series.points.push_back({.x = *x, .y = *trial.scores[i] * metric.factor()});
      }
    }
    if (!series.points.empty()) all.push_back(std::move(series));
  }
  return all;
}

/// Of the first rung, which has all trials.
Series best_so_far(const std::vector<Trial>& trials, const Number& metric) {
  std::map<std::size_t, double> scores;
  for (const auto& trial : trials) {
    if (trial.scores.front()) scores[trial.place + 1] = *trial.scores.front();
  }
  Series series{.title = "best so far", .points = {}, .marked = false, .ideal = true};
  for (const auto& [number, score] : scores) {
    const double y = score * metric.factor();
    const double best = series.points.empty() || metric.better(y, series.points.back().y)
                            ? y
                            : series.points.back().y;
    series.points.push_back({.x = static_cast<double>(number), .y = best});
  }
  return series;
}

/// Where dots stand, if these are few places that several share, or whole numbers.
std::vector<double> ticks_of(const std::vector<Series>& series) {
  constexpr std::size_t kMostTicks = 16;
  std::set<double> places;
  std::size_t dots = 0;
  for (const auto& one : series) {
    for (const auto& point : one.points) places.insert(point.x);
    dots = std::max(dots, one.points.size());
  }
  const bool whole = std::all_of(places.begin(), places.end(),
                                 [](double place) { return place == std::floor(place); });
  if (places.size() > kMostTicks || (!whole && 2 * places.size() > dots)) return {};
  return {places.begin(), places.end()};
}

Figure over_trials(const std::deque<Rung>& rungs, const std::vector<Trial>& trials,
                   const Number& metric) {
  Curves curves{.x_label = "trial, in the order of drawing",
                .y_label = metric.axis(),
                .series = dots(rungs, trials, metric, "", number_of)};
  curves.x_ticks = ticks_of(curves.series);
  curves.series.push_back(best_so_far(trials, metric));
  const bool halved = rungs.size() > 1;
  return {.name = "trials",
          .title = "What each trial came to",
          .caption = halved ? "The best of each rung went on to the next, trained anew."
                            : "Each dot is a trial.",
          .graph = std::move(curves)};
}

/// Whether the values are far apart, as 0.001, 0.01, 0.1 are.
bool wide(const std::vector<Series>& series) {
  double least = 1e300, most = 0;
  for (const auto& one : series) {
    for (const auto& point : one.points) {
      least = std::min(least, point.x);
      most = std::max(most, point.x);
    }
  }
  return least > 0 && most / least >= 16;
}

/// Medians of the trials that drew each text, of the first rung.
Bars bars_of(const std::vector<Trial>& trials, const Number& metric, const std::string& axis) {
  std::map<std::string, std::vector<double>> values;
  for (const auto& trial : trials) {
    const auto value = trial.point->axes.find(axis);
    if (value == trial.point->axes.end() || !trial.scores.front()) continue;
    values[value->second].push_back(*trial.scores.front());
  }
  Bars bars{.x_label = metric.axis(), .parts = {"median"}, .bars = {}};
  for (const auto& [value, scores] : values) {
    if (bars.bars.size() == kMostBars) break;
    const double median = summarise(scores).median;
    bars.bars.push_back({.label = value,
                         .parts = {median * metric.factor()},
                         .note = fmt::format("{}, n = {}", metric.words(median), scores.size())});
  }
  return bars;
}

Figure over_axis(const std::deque<Rung>& rungs, const std::vector<Trial>& trials,
                 const Number& metric, const std::string& axis) {
  Figure figure{.name = fmt::format("trials-over-{}", axis),
                .title = fmt::format("Trials over {}", axis),
                .caption = {},
                .graph = {}};
  auto series = dots(rungs, trials, metric, axis, value_of);
  if (series.empty()) {
    figure.caption = "Medians, in the first rung, of the trials that drew each.";
    figure.graph = bars_of(trials, metric, axis);
    return figure;
  }
  figure.caption = "Each dot is a trial; all other axes differ, too.";
  const bool log = wide(series);
  const auto ticks = ticks_of(series);
  figure.graph = Curves{.x_label = axis,
                        .y_label = metric.axis(),
                        .series = std::move(series),
                        .x_log = log,
                        .x_ticks = ticks};
  return figure;
}

}  // namespace

std::vector<Figure> trial_figures(const SearchPlan& search, const std::deque<Rung>& rungs,
                                  const std::vector<Trial>& trials) {
  constexpr std::size_t kMostAxes = 12;
  if (trials.empty() || !trials.front().score()) return {};
  const Number& metric = number_named(search.settings.metric);
  std::vector<Figure> figures = {over_trials(rungs, trials, metric)};
  for (const auto& axis : searched_axes(search)) {
    if (figures.size() <= kMostAxes) figures.push_back(over_axis(rungs, trials, metric, axis));
  }
  return figures;
}

}  // namespace yoke::study
