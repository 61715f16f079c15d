// yoke/study/figures/comparison_figures.cpp: the points of a study against each other.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "yoke/run/flag_names.h"
#include "yoke/run/summary.h"
#include "yoke/study/figures/figures.h"
#include "yoke/study/report/words.h"
#include "yoke/study/scaling.h"

namespace yoke::study {
namespace {

constexpr const char* kIntervals =
    "Points are medians; bars, where there are repetitions, the 95 % interval of the mean.";

Bars bars_of(const Comparison& comparison, const char* number, double factor, std::string x_label,
             const char* format) {
  Bars bars{.x_label = std::move(x_label), .parts = {"median"}, .bars = {}};
  for (const auto& group : comparison.groups) {
    const Sample sample = group.sample(number);
    if (sample.n == 0 || bars.bars.size() == kMostBars) continue;
    bars.bars.push_back({.label = group.label,
                         .parts = {sample.median * factor},
                         .note = fmt::format(fmt::runtime(format), sample.median * factor)});
  }
  return bars;
}

void add_bars(const Comparison& comparison, std::vector<Figure>& figures) {
  const std::string only =
      comparison.groups.size() > kMostBars ? fmt::format(" The first {} points.", kMostBars) : "";
  Bars time = bars_of(comparison, key::kTrainSeconds, 1, "time of training steps (s)", "{:.4g} s");
  if (!time.bars.empty()) {
    figures.push_back({.name = "training-time",
                       .title = "Time of training",
                       .caption = "Medians over repetitions. Without loading, evaluation and "
                                  "checkpoints." +
                                  only,
                       .graph = std::move(time)});
  }
  Bars accuracy = bars_of(comparison, key::kValTop1, 100, "top-1 accuracy on validation images (%)",
                          "{:.2f} %");
  if (!accuracy.bars.empty()) {
    accuracy.x_most = 116;
    figures.push_back({.name = "accuracy",
                       .title = "Accuracy on validation images",
                       .caption = "Medians over repetitions, after the last step." + only,
                       .graph = std::move(accuracy)});
  }
}

std::vector<double> ticks_of(const std::vector<Line>& lines) {
  constexpr std::size_t kMostTicks = 16;
  std::set<double> ticks;
  for (const auto& line : lines) {
    for (const auto& place : line.places) ticks.insert(place.x);
  }
  if (ticks.size() > kMostTicks) return {};
  return {ticks.begin(), ticks.end()};
}

/// Whether the values are far apart, as 1, 10, 100 are.
bool wide(const std::vector<double>& ticks) {
  return !ticks.empty() && ticks.front() > 0 && ticks.back() / ticks.front() >= 16;
}

Curves over(const std::vector<Line>& lines, const std::string& x_label) {
  Curves curves{.x_label = x_label, .y_label = {}, .series = {}};
  curves.x_ticks = ticks_of(lines);
  curves.x_log = wide(curves.x_ticks);
  return curves;
}

std::string title_of(const Line& line, const char* what) {
  return line.label.empty() ? what : line.label;
}

/// A number of summary.json over the axis, a line each.
Curves values_over(const std::vector<Line>& lines, const std::string& x_label, const char* number,
                   double factor, const char* what) {
  Curves curves = over(lines, x_label);
  for (const auto& line : lines) {
    Series series{.title = title_of(line, what), .points = {}};
    series.style = static_cast<int>(curves.series.size());
    for (const auto& [x, group] : line.places) {
      const Sample sample = group->sample(number);
      if (sample.n == 0) continue;
      Point point{.x = x, .y = sample.median * factor};
      if (sample.interval) {
        point.interval = {sample.interval->first * factor, sample.interval->second * factor};
      }
      series.points.push_back(point);
    }
    if (!series.points.empty()) curves.series.push_back(std::move(series));
  }
  return curves;
}

std::vector<Line> few(std::vector<Line> lines) {
  if (lines.size() > kMostLines) lines.resize(kMostLines);
  return lines;
}

std::string many(const std::vector<Line>& lines) {
  return lines.size() > kMostLines
             ? fmt::format(" The first {} of {} lines.", kMostLines, lines.size())
             : "";
}

Curves scaling_curves(const std::vector<Line>& lines, const std::string& x_label, bool efficiency) {
  Curves curves = over(lines, x_label);
  curves.y_label = efficiency ? "efficiency (%)" : "speed-up (times)";
  curves.y_from_zero = true;
  double first = 1e300, last = 0;
  for (const auto& line : lines) {
    const auto scaling = scaling_of(line);
    if (!scaling) continue;
    Series series{.title = title_of(line, "measured"), .points = {}};
    series.style = static_cast<int>(curves.series.size());
    for (const auto& step : scaling->steps) {
      series.points.push_back(
          {.x = step.x, .y = efficiency ? 100 * step.efficiency : step.speed_up});
    }
    first = std::min(first, line.base.x);
    last = std::max(last, scaling->steps.back().x);
    curves.series.push_back(std::move(series));
  }
  if (curves.series.empty()) return curves;
  Series ideal{.title = "ideal", .points = {}, .ideal = true};
  for (const double x :
       curves.x_ticks.empty() ? std::vector<double>{first, last} : curves.x_ticks) {
    ideal.points.push_back({.x = x, .y = efficiency ? 100 : x / first});
  }
  curves.series.push_back(std::move(ideal));
  return curves;
}

void add(std::vector<Figure>& figures, std::string name, std::string title, std::string caption,
         Curves curves) {
  if (curves.series.empty()) return;
  figures.push_back({.name = std::move(name),
                     .title = std::move(title),
                     .caption = std::move(caption),
                     .graph = std::move(curves)});
}

/// Lines of ranks by themselves, before the mean of their parameters, where they were measured.
void add_each_rank(const std::vector<Line>& lines, const std::string& x_label, Curves& accuracy) {
  Curves own = values_over(lines, x_label, key::kRankValTop1Mean, 100, "accuracy");
  for (auto& series : own.series) {
    series.title += ", mean of the ranks by themselves";
    series.style = static_cast<int>(accuracy.series.size());
    accuracy.series.push_back(std::move(series));
  }
}

void add_scaling(const Comparison& comparison, const std::string& axis,
                 std::vector<Figure>& figures) {
  const auto all = lines_over(comparison, axis);
  const auto lines = few(all);
  const std::string label = axis == "ranks" ? "ranks (workers) of a run" : axis + " of a rank";
  add(figures, "speed-up-over-" + axis, "Speed-up over " + axis,
      "Images per second, medians, by those of the point with the least." + many(all),
      scaling_curves(lines, label, false));
  add(figures, "efficiency-over-" + axis, "Efficiency over " + axis,
      "Speed-up by what it would ideally be." + many(all), scaling_curves(lines, label, true));
  Curves accuracy = values_over(lines, label, key::kValTop1, 100, "accuracy");
  accuracy.y_label = "top-1 accuracy on validation images (%)";
  accuracy.y_most = 100;
  add_each_rank(lines, label, accuracy);
  add(figures, "accuracy-over-" + axis, "Accuracy over " + axis, kIntervals + many(all),
      std::move(accuracy));
}

void add_batches(const Comparison& comparison, const std::string& axis,
                 std::vector<Figure>& figures) {
  const auto all = lines_over(comparison, axis);
  const auto lines = few(all);
  const std::string label =
      axis == flag::kBatchSize ? "batch size (images of a step)" : "batch size of a rank (images)";
  Curves time = values_over(lines, label, key::kTrainSeconds, 1, "time");
  time.y_label = "time of training steps (s)";
  time.y_from_zero = true;
  add(figures, "time-over-" + axis, "Time of training over batch size", kIntervals + many(all),
      std::move(time));
  Curves accuracy = values_over(lines, label, key::kValTop1, 100, "accuracy");
  accuracy.y_label = "top-1 accuracy on validation images (%)";
  accuracy.y_most = 100;
  add(figures, "accuracy-over-" + axis, "Accuracy over batch size", kIntervals + many(all),
      std::move(accuracy));
}

}  // namespace

std::vector<Figure> comparison_figures(const Comparison& comparison) {
  std::vector<Figure> figures;
  if (comparison.groups.size() < 2) return figures;
  add_bars(comparison, figures);
  for (const auto& axis : worker_axes(comparison)) add_scaling(comparison, axis, figures);
  for (const auto& axis : batch_axes(comparison)) add_batches(comparison, axis, figures);
  return figures;
}

}  // namespace yoke::study
