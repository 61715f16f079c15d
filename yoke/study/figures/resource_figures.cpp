// yoke/study/figures/resource_figures.cpp: what the ranks of a run used, over time.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "yoke/run/summary.h"
#include "yoke/study/figures/downsample.h"
#include "yoke/study/figures/figures.h"
#include "yoke/study/report/words.h"

namespace yoke::study {
namespace {

constexpr std::size_t kMostRanks = 6;  // lines that a reader can follow

using Field = std::optional<double> ResourceSample::*;
using Samples = std::vector<ResourceSample>;  // of one rank, by time

std::map<int, Samples> by_rank(const RunResults& run) {
  std::map<int, Samples> ranks;
  for (const auto& sample : run.resources) ranks[sample.rank].push_back(sample);
  return ranks;
}

std::vector<Point> level(const Samples& samples, Field field) {
  std::vector<Point> points;
  for (const auto& sample : samples) {
    if (sample.*field) points.push_back({.x = sample.seconds, .y = *(sample.*field)});
  }
  return points;
}

/// Per second, of a counter. Where it begins again, in a resumed run, there is no point.
std::vector<Point> rate(const Samples& samples, Field field) {
  const auto counts = level(samples, field);
  std::vector<Point> points;
  for (std::size_t i = 1; i < counts.size(); ++i) {
    const double seconds = counts[i].x - counts[i - 1].x, change = counts[i].y - counts[i - 1].y;
    if (seconds > 0 && change >= 0) {
      points.push_back({.x = (counts[i].x + counts[i - 1].x) / 2, .y = change / seconds});
    }
  }
  return points;
}

/// The mean, lowest and highest over ranks in each of up to 200 spans of time.
std::vector<Series> over_ranks(const std::vector<std::vector<Point>>& ranks) {
  constexpr int kSpans = 200;
  double last = 0;
  for (const auto& points : ranks) {
    for (const auto& point : points) last = std::max(last, point.x);
  }
  const double width = std::max(1.0, last / kSpans);  // two samples of each rank at least
  std::map<int, std::map<std::size_t, std::pair<double, int>>> spans;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    for (const auto& point : ranks[rank]) {
      auto& [sum, count] = spans[static_cast<int>(point.x / width)][rank];
      sum += point.y;
      ++count;
    }
  }
  std::vector<Series> series = {{.title = "mean over ranks", .points = {}, .style = 0},
                                {.title = "lowest rank", .points = {}, .style = 1},
                                {.title = "highest rank", .points = {}, .style = 2}};
  for (const auto& [span, means] : spans) {
    double sum = 0, least = 1e300, most = -1e300;
    for (const auto& [rank, total] : means) {
      const double mean = total.first / total.second;
      sum += mean;
      least = std::min(least, mean);
      most = std::max(most, mean);
    }
    const double x = (span + 0.5) * width,
                 values[] = {sum / static_cast<double>(means.size()), least, most};
    for (std::size_t i = 0; i < 3; ++i) series[i].points.push_back({.x = x, .y = values[i]});
  }
  for (auto& one : series) one.marked = false;
  return series;
}

/// A line for each rank, or for their mean and extremes where there are many.
std::vector<Series> lines(const std::map<int, std::vector<Point>>& ranks, const char* what) {
  std::vector<std::vector<Point>> all;
  for (const auto& [rank, points] : ranks) all.push_back(points);
  std::vector<Series> series;
  if (ranks.size() > kMostRanks) {
    series = over_ranks(all);
    for (auto& one : series) one.title += what;
    return series;
  }
  int style = 0;
  for (const auto& [rank, points] : ranks) {
    if (!points.empty()) {
      series.push_back({.title = fmt::format("rank {}{}", rank, what),
                        .points = points,
                        .style = style,
                        .marked = points.size() == 1});
    }
    ++style;
  }
  return series;
}

double most_of(const std::vector<Series>& series) {
  double most = 0;
  for (const auto& one : series) {
    for (const auto& point : one.points) most = std::max(most, point.y);
  }
  return most;
}

/// What the graphs of a run have in common.
class Maker {
 public:
  Maker(const RunResults& run, std::string suffix)
      : run_(run),
        suffix_(std::move(suffix)),
        time_(unit_of_time(run.number(key::kWallSeconds).value_or(0))) {}

  /// Adds a graph unless all is zero, which is then not worth one.
  void add(const char* name, const char* title, const char* caption, const std::string& y_label,
           std::vector<Series> series, double divisor) {
    if (most_of(series) <= 0) return;
    for (auto& one : series) {
      for (auto& point : one.points) point = {.x = point.x / time_.divisor, .y = point.y / divisor};
      one.points = downsample(std::move(one.points));
    }
    std::vector<Phase> phases = run_.phases;
    for (auto& phase : phases) {
      phase.begin /= time_.divisor;
      phase.end /= time_.divisor;
    }
    figures_.push_back({.name = name + suffix_,
                        .title = title,
                        .caption = caption,
                        .graph = Curves{.x_label = fmt::format(
                                            "time since the start of the program ({})", time_.name),
                                        .y_label = y_label,
                                        .series = std::move(series),
                                        .phases = std::move(phases),
                                        .x_from_zero = true,
                                        .y_from_zero = true}});
  }

  /// The same for bytes, in the unit that fits.
  void add_bytes(const char* name, const char* title, const char* caption, const char* what,
                 const char* per, std::vector<Series> series) {
    const Unit unit = unit_of_bytes(most_of(series));
    add(name, title, caption, fmt::format("{} ({}{})", what, unit.name, per), std::move(series),
        unit.divisor);
  }

  std::vector<Figure> take() { return std::move(figures_); }

 private:
  const RunResults& run_;
  const std::string suffix_;
  const Unit time_;
  std::vector<Figure> figures_;
};

std::vector<Series> both(std::vector<Series> a, const std::vector<Series>& b) {
  for (const auto& series : b) {
    a.push_back(series);
    a.back().lighter = true;
  }
  std::erase_if(a, [](const Series& series) { return most_of({series}) <= 0; });
  return a;
}

}  // namespace

std::vector<Figure> resource_figures(const RunResults& run, const std::string& suffix) {
  const auto ranks = by_rank(run);
  if (ranks.empty()) return {};
  const auto each = [&](auto&& points_of, Field field) {
    std::map<int, std::vector<Point>> points;
    for (const auto& [rank, samples] : ranks) points[rank] = points_of(samples, field);
    return points;
  };
  Maker maker(run, suffix);
  maker.add("processor", "Processor", "100 % is one core that is always busy.",
            "processor time (% of a core)", lines(each(level, &ResourceSample::cpu_percent), ""),
            1);
  maker.add_bytes("memory", "Memory", "Resident memory of each rank's process.", "resident memory",
                  "", lines(each(level, &ResourceSample::rss_bytes), ""));
  maker.add_bytes("disk", "Disk", "What each rank's process has the disk read and write.",
                  "disk traffic", "/s",
                  both(lines(each(rate, &ResourceSample::disk_write_bytes), ", writing"),
                       lines(each(rate, &ResourceSample::disk_read_bytes), ", reading")));
  const Samples& first = ranks.begin()->second;
  std::vector<Series> network = {
      {.title = "received", .points = rate(first, &ResourceSample::network_receive_bytes)},
      {.title = "sent", .points = rate(first, &ResourceSample::network_send_bytes), .style = 1}};
  for (auto& series : network) series.marked = series.points.size() == 1;
  maker.add_bytes("network", "Network",
                  "Of the host of rank 0, whoever sends, over all interfaces and loopback.",
                  "network traffic", "/s", both(std::move(network), {}));
  return maker.take();
}

}  // namespace yoke::study
