#include "yoke/forecast/rank_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "yoke/core/error.h"

namespace yoke::forecast {
namespace {

int threads_per_rank(const Cluster& cluster) {
  return std::max(1, static_cast<int>(std::floor(cluster.cores_per_host / cluster.ranks_per_host)));
}

const Layout& measured(const Calibration& calibration, const std::pair<int, int>& needed) {
  const auto* const layout = calibration.find_layout(needed.first, needed.second);
  if (layout != nullptr) return *layout;
  throw UsageError(fmt::format(
      "this calibration lacks {} ranks of {} threads beside each other; give --calibrate to "
      "measure again",
      needed.first, needed.second));
}

template <typename Field>
double read(const Layout& layout, double images, Field field) {
  std::vector<Point> points;
  for (const auto& batch : layout.batches) {
    points.emplace_back(static_cast<double>(batch.images), field(batch));
  }
  return interpolate(points, images);
}

double seconds_of(const BatchTimes& times, Case which) {
  switch (which) {
    case Case::kLow:
      return std::min(times.lower, times.mean);
    case Case::kHigh:
      return std::max(times.upper, times.mean);
    case Case::kTypical:
      break;
  }
  return times.mean;
}

/// And two standard errors of a standard deviation below or above it.
double spread_of(const BatchTimes& times, Case which) {
  const auto samples = static_cast<double>(std::max<std::int64_t>(times.samples, 2));
  const double error = 2 / std::sqrt(2 * (samples - 1));
  const double sign = which == Case::kLow ? -1 : which == Case::kHigh ? 1 : 0;
  return std::max(0.0, times.spread * (1 + sign * error));
}

/// In each case, put in order: beyond the measured numbers of images their lines can cross.
double seconds_with(const Layout& layout, double images, Case which) {
  std::array<double, kCases.size()> seconds{};
  for (std::size_t i = 0; i < kCases.size(); ++i) {
    seconds[i] =
        read(layout, images, [i](const auto& times) { return seconds_of(times, kCases[i]); });
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[static_cast<std::size_t>(which)];
}

/// Beyond the measured numbers of images that of the outermost one.
double spread_with(const Layout& layout, double images, Case which) {
  const auto least = static_cast<double>(layout.batches.front().images);
  const auto most = static_cast<double>(layout.batches.back().images);
  return read(layout, std::clamp(images, least, most),
              [which](const auto& times) { return spread_of(times, which); });
}

RankStep read_layout(const Layout& layout, double images, Case which) {
  const auto of = [&](auto field) { return read(layout, images, field); };
  const double seconds = seconds_with(layout, images, which);
  return {
      .seconds = seconds,
      .data_wait = std::min(seconds, of([](const auto& times) { return times.data_wait; })),
      .gradient = std::min(seconds, of([](const auto& times) { return times.gradient; })),
      .spread = spread_with(layout, images, which),
      .memory_bytes = of([](const auto& times) { return static_cast<double>(times.memory_bytes); }),
      .layout = &layout};
}

void scale(RankStep& step, double factor) {
  step.seconds *= factor;
  step.data_wait *= factor;
  step.gradient *= factor;
}

/// How many times as long as on `most` threads, which take `all`, a step takes on `threads`, which
/// are more; `one` takes one of them.
double beyond(double one, double all, int most, int threads, Case which) {
  const double full = static_cast<double>(most) / threads;
  if (which == Case::kHigh) return 1;
  if (which == Case::kLow || most == 1) return full;
  const double parallel = std::clamp((one - all) / (1 - 1.0 / most), 0.0, one);
  return std::clamp((one - parallel * (1 - 1.0 / threads)) / all, full, 1.0);
}

}  // namespace

std::vector<std::pair<int, int>> needed_layouts(int cores, const Cluster& cluster) {
  const int threads = threads_per_rank(cluster);
  if (threads > cores) return {{1, 1}, {1, cores}};
  return {{std::clamp(cluster.beside, 1, cores / threads), threads}};
}

RankStep rank_step(const Calibration& calibration, const Cluster& cluster, double images,
                   Case which) {
  const auto needed = needed_layouts(calibration.cores, cluster);
  RankStep step = read_layout(measured(calibration, needed.back()), images, which);
  if (needed.size() > 1) {
    const auto& single = measured(calibration, needed.front());
    const double one = read_layout(single, images, which).seconds;
    scale(step, beyond(one, step.seconds, calibration.cores, threads_per_rank(cluster), which));
  }
  scale(step, ranks_per_core(cluster, which));
  return step;
}

}  // namespace yoke::forecast
