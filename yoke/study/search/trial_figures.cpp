#include "yoke/study/search/trial_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "yoke/core/format.h"
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

/// Trials to draw. Those that diverged would press all others together: what is worse than Tukey's
/// fence (1977), one and a half times the distance of the quartiles beyond the worse of them, is
/// left out.
struct Drawn {
  const std::deque<Rung>& rungs;
  const std::vector<Trial>& trials;
  const Number& metric;
  std::optional<double> fence;

  bool has(const std::optional<double>& score) const {
    return score && (!fence || !metric.better(*fence, *score));
  }
  /// For captions; empty where all are drawn.
  std::string remark() const {
    const auto out = std::count_if(trials.begin(), trials.end(), [&](const Trial& trial) {
      return trial.scores.front() && !has(trial.scores.front());
    });
    return out == 0 ? "" : fmt::format(" Not drawn: {}, much worse.", format_count(out, "trial"));
  }
};

/// Of the first rung, which has all trials.
std::optional<double> fence_of(const std::vector<Trial>& trials, const Number& metric) {
  constexpr std::size_t kLeast = 4;  // trials, for quartiles
  std::vector<double> scores;
  for (const auto& trial : trials) {
    if (trial.scores.front()) scores.push_back(*trial.scores.front());
  }
  if (scores.size() < kLeast) return std::nullopt;
  std::sort(scores.begin(), scores.end(),
            [&](double a, double b) { return metric.better(b, a); });  // the worst first
  const double worse = scores[scores.size() / 4], better = scores[3 * scores.size() / 4];
  return worse - 1.5 * (better - worse);
}

/// A dot for each trial, in the look of its rung.
std::vector<Series> dots(const Drawn& drawn, const std::string& axis, Place place) {
  const auto& [rungs, trials, metric, fence] = drawn;
  std::vector<Series> all;
  for (std::size_t i = 0; i < rungs.size() && i < kMostLines; ++i) {
    const std::string length = rungs[i].length();
    Series series{.title = length.empty() ? "a trial" : "after " + length,
                  .points = {},
                  .style = static_cast<int>(i),
                  .joined = false};
    for (const auto& trial : trials) {
      const auto x = place(trial, axis);
      if (x && drawn.has(trial.scores[i])) {
        series.points.push_back({.x = *x, .y = *trial.scores[i] * metric.factor()});
      }
    }
    if (!series.points.empty()) all.push_back(std::move(series));
  }
  return all;
}

/// Of the first rung, which has all trials.
Series best_so_far(const Drawn& drawn) {
  const Number& metric = drawn.metric;
  std::map<std::size_t, double> scores;
  for (const auto& trial : drawn.trials) {
    if (drawn.has(trial.scores.front())) scores[trial.place + 1] = *trial.scores.front();
  }
  const std::string& length = drawn.rungs.front().length();
  Series series{.title = length.empty() ? "best so far" : "best so far after " + length,
                .points = {},
                .marked = false,
                .ideal = true};
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

Figure over_trials(const Drawn& drawn) {
  Curves curves{.x_label = "trial, in the order of drawing",
                .y_label = drawn.metric.axis(),
                .series = dots(drawn, "", number_of)};
  curves.x_ticks = ticks_of(curves.series);
  curves.series.push_back(best_so_far(drawn));
  const bool halved = drawn.rungs.size() > 1;
  return {.name = "trials",
          .title = "What each trial came to",
          .caption = (halved ? "The best of each rung went on to the next, trained anew."
                             : "Each dot is a trial.") +
                     drawn.remark(),
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

Figure over_axis(const Drawn& drawn, const std::string& axis) {
  Figure figure{.name = fmt::format("trials-over-{}", axis),
                .title = fmt::format("Trials over {}", axis),
                .caption = {},
                .graph = {}};
  auto series = dots(drawn, axis, value_of);
  if (series.empty()) {
    figure.caption = "Medians, in the first rung, of the trials that drew each.";
    figure.graph = bars_of(drawn.trials, drawn.metric, axis);
    return figure;
  }
  figure.caption = "Each dot is a trial; all other axes differ, too." + drawn.remark();
  const bool log = wide(series);
  const auto ticks = ticks_of(series);
  figure.graph = Curves{.x_label = axis,
                        .y_label = drawn.metric.axis(),
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
  const Drawn drawn{rungs, trials, metric, fence_of(trials, metric)};
  std::vector<Figure> figures = {over_trials(drawn)};
  for (const auto& axis : searched_axes(search)) {
    if (figures.size() <= kMostAxes) figures.push_back(over_axis(drawn, axis));
  }
  return figures;
}

}  // namespace yoke::study
