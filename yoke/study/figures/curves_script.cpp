// yoke/study/figures/curves_script.cpp: lines over numbers as commands of gnuplot.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "yoke/study/figures/script.h"

namespace yoke::study {
namespace {

/// Phases that are marked, and how; the time of training is what remains white.
struct Shade {
  PhaseKind phase;
  const char* colour;
  const char* fill;
};
constexpr std::array<Shade, 3> kShades = {{{PhaseKind::kLoading, "#b0b0b0", "solid 0.55"},
                                           {PhaseKind::kEvaluating, "#56B4E9", "solid 0.35"},
                                           {PhaseKind::kCheckpointing, "#D55E00", "solid 0.45"}}};

std::pair<double, double> x_range(const Curves& curves) {
  double least = std::numeric_limits<double>::infinity(), most = -least;
  for (const auto& series : curves.series) {
    for (const auto& point : series.points) {
      least = std::min(least, point.x);
      most = std::max(most, point.x);
    }
  }
  for (const auto& phase : curves.phases) {
    least = std::min(least, phase.begin);
    most = std::max(most, phase.end);
  }
  return {curves.x_from_zero ? 0 : least, most};
}

std::string ticks(const Curves& curves) {
  if (curves.x_ticks.empty()) return "";
  std::vector<std::string> each;
  for (const double x : curves.x_ticks) each.push_back(fmt::format("'{:g}' {:g}", x, x));
  return fmt::format("set xtics ({})\n", fmt::join(each, ", "));
}

std::string axes(const Curves& curves) {
  std::string text = fmt::format("set xlabel {}\nset ylabel {}\n", gnuplot_text(curves.x_label),
                                 gnuplot_text(curves.y_label));
  if (curves.x_log) text += "set logscale x\nset format x '%g'\n";
  auto [least, most] = x_range(curves);
  if (curves.x_ticks.empty()) {
    if (!(most > least)) most = least + 1;
  } else {
    const double room = curves.x_log ? 1.1 : 0.05 * std::max(1.0, most - least);
    least = curves.x_log ? least / room : least - room;
    most = curves.x_log ? most * room : most + room;
  }
  text += fmt::format("set xrange [{:g}:{:g}]\n", least, most);
  // Nothing that is drawn is below zero, but ends of intervals may be.
  const std::string bottom = curves.y_from_zero ? "0" : "0<*";
  const std::string top = curves.y_most ? fmt::format("*<{:g}", *curves.y_most) : "*";
  text += fmt::format("set yrange [{}:{}]\n", bottom, top);
  return text + ticks(curves);
}

std::string shades(const Curves& curves) {
  const auto [least, most] = x_range(curves);
  const double thinnest = (most - least) / 600;  // else it would not be seen
  std::string text;
  for (const auto& phase : curves.phases) {
    const auto shade = std::find_if(kShades.begin(), kShades.end(),
                                    [&](const Shade& s) { return phase.kind == s.phase; });
    if (shade == kShades.end()) continue;
    text += fmt::format(
        "set object rectangle from {:.3f},graph 0 to {:.3f},graph 1 behind fillcolor rgb '{}' "
        "fillstyle {} noborder\n",
        phase.begin, std::max(phase.end, phase.begin + thinnest), shade->colour, shade->fill);
  }
  return text;
}

std::string legend_of_phases(const Curves& curves) {
  std::set<PhaseKind> there;
  for (const auto& phase : curves.phases) there.insert(phase.kind);
  std::string text;
  for (const auto& shade : kShades) {
    if (!there.contains(shade.phase)) continue;
    text += fmt::format(", keyentry with boxes fillcolor rgb '{}' fillstyle {} noborder title '{}'",
                        shade.colour, shade.fill, word_of(shade.phase));
  }
  return text;
}

std::string data(const Series& series, std::size_t number) {
  std::string text = fmt::format("$d{} << EOD\n", number);
  for (const auto& point : series.points) {
    const auto [low, high] = point.interval.value_or(std::pair(point.y, point.y));
    text += fmt::format("{:.6g} {:.6g} {:.6g} {:.6g}\n", point.x, point.y, low, high);
  }
  return text + "EOD\n";
}

std::string look(const Series& series) {
  if (series.ideal) return "lt 1 lw 1.2 dt 3 lc rgb '#606060'";
  constexpr std::array kPoints = {7, 5, 9, 13, 4, 6, 8};
  const auto style = static_cast<std::size_t>(series.style);
  return fmt::format(
      "lc rgb '{}' lw {} dt {}{}", colour(series.style), series.lighter ? 0.8 : 1.8,
      series.lighter ? 1 : 1 + series.style % 5,
      series.marked ? fmt::format(" pt {} ps 0.7", kPoints[style % kPoints.size()]) : "");
}

std::string plot(const Series& series, std::size_t number) {
  const bool intervals = std::any_of(series.points.begin(), series.points.end(),
                                     [](const Point& point) { return point.interval.has_value(); });
  const bool points = series.marked && !series.ideal;
  const char* const drawn = !series.joined ? "points" : points ? "linespoints" : "lines";
  std::string text;
  if (intervals) {  // before the line, for gnuplot clears the place of each point
    text = fmt::format("$d{} using 1:2:3:4 with yerrorbars lc rgb '{}' lw 1 pt 7 ps 0.1 notitle, ",
                       number, colour(series.style));
  }
  return text + fmt::format("$d{} using 1:2 with {} {} title {}", number, drawn, look(series),
                            gnuplot_text(series.title));
}

int legend_columns(const Curves& curves) {
  std::size_t longest = 12;
  for (const auto& series : curves.series) longest = std::max(longest, series.title.size());
  constexpr std::size_t kLetters = 80, kSample = 7;  // of a row; before a title
  return std::clamp(static_cast<int>(kLetters / (longest + kSample)), 1, 4);
}

}  // namespace

int legend_rows(const Curves& curves) {
  std::set<PhaseKind> entries;
  for (const auto& phase : curves.phases) entries.insert(phase.kind);
  const int count = static_cast<int>(curves.series.size() + entries.size());
  const int columns = legend_columns(curves);
  return (count + columns - 1) / columns;
}

std::string script(const Curves& curves) {
  std::string text = axes(curves) + shades(curves);
  text += legend(legend_rows(curves), legend_columns(curves));
  std::vector<std::string> plots;
  for (std::size_t i = 0; i < curves.series.size(); ++i) {
    text += data(curves.series[i], i);
    plots.push_back(plot(curves.series[i], i));
  }
  return text + fmt::format("plot {}{}\n", fmt::join(plots, ", "), legend_of_phases(curves));
}

}  // namespace yoke::study
