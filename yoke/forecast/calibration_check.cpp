#include "yoke/forecast/calibration_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "yoke/core/error.h"

namespace yoke::forecast {
namespace {

template <typename Number>
void expect(bool holds, const char* name, Number found, const char* allowed) {
  if (!holds) throw Error(fmt::format("{} is {}; allowed: {}", name, found, allowed));
}

template <typename Number>
void expect_above_zero(const char* name, Number found) {
  expect(found > 0, name, found, "above 0");
}

template <typename Number>
void expect_from_zero(const char* name, Number found) {
  expect(found >= 0, name, found, "0 or more");
}

/// Numbers that lines are drawn over.
template <typename List, typename Of>
void expect_ascending(const char* name, const List& list, Of of) {
  if (list.empty()) throw Error(fmt::format("no {} were measured", name));
  expect_above_zero(name, of(list.front()));
  const auto falls = std::adjacent_find(
      list.begin(), list.end(), [&](const auto& a, const auto& b) { return of(a) >= of(b); });
  if (falls == list.end()) return;
  throw Error(
      fmt::format("{} are {} and then {}; allowed: ascending", name, of(*falls), of(*(falls + 1))));
}

void check(const BatchTimes& times) {
  expect_above_zero("samples", times.samples);
  expect_above_zero("mean_seconds", times.mean);
  expect_above_zero("lower_quartile_seconds", times.lower);
  expect(times.upper >= times.lower, "upper_quartile_seconds", times.upper,
         "lower_quartile_seconds or more");
  expect_from_zero("spread", times.spread);
  expect_from_zero("data_wait_seconds", times.data_wait);
  expect_above_zero("gradient_seconds", times.gradient);
  expect_from_zero("memory_bytes", times.memory_bytes);
}

void check(const Layout& layout, std::size_t parameters) {
  constexpr double kRounding = 1e-9;
  expect_above_zero("ranks", layout.ranks);
  expect_above_zero("threads", layout.threads);
  expect_ascending("images", layout.batches, [](const auto& times) { return times.images; });
  for (const auto& times : layout.batches) check(times);
  if (layout.ready.size() != parameters) {
    throw Error(fmt::format("ready has {} numbers for {} parameters; allowed: one for each",
                            layout.ready.size(), parameters));
  }
  for (const double ready : layout.ready) {
    expect(ready >= 0 && ready <= 1 + kRounding, "ready", ready, "0 to 1");
  }
}

void check_points(const std::vector<Point>& points) {
  expect_ascending("bytes", points, [](const auto& point) { return point.first; });
  for (const auto& point : points) expect_above_zero("seconds of a sum", point.second);
}

}  // namespace

void check_calibration(const Calibration& calibration) {
  expect_above_zero("cores", calibration.cores);
  expect_above_zero("train_images", calibration.train_images);
  for (const auto elements : calibration.parameters) expect_above_zero("parameters", elements);
  expect_from_zero("optimizer_state_bytes", calibration.optimizer_state_bytes);
  expect_from_zero("loader_images_per_second", calibration.loader_images_per_second);
  expect_from_zero("pause_seconds", calibration.checkpoint.pause);
  expect_from_zero("write_seconds", calibration.checkpoint.write);
  expect_from_zero("bytes of a checkpoint", calibration.checkpoint.bytes);
  for (const auto& layout : calibration.layouts) check(layout, calibration.parameters.size());
  for (const auto& times : calibration.communicators) {
    expect(times.ranks >= 2, "ranks of a communicator", times.ranks, "2 or more");
    check_points(times.points);
    check_points(times.least);
  }
}

}  // namespace yoke::forecast
