#include "yoke/forecast/calibration.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "yoke/core/error.h"

namespace yoke::forecast {

std::int64_t Calibration::parameter_count() const {
  return std::accumulate(parameters.begin(), parameters.end(), std::int64_t{0});
}

const Layout* Calibration::find_layout(int ranks, int threads) const {
  for (const Layout& layout : layouts) {
    if (layout.ranks == ranks && layout.threads == threads) return &layout;
  }
  return nullptr;
}

Link CommunicatorTimes::fit(Case which) const {
  const Link typical = fit_link(points), shortest = fit_link(least);
  const double direction = which == Case::kLow ? -1 : which == Case::kHigh ? 1 : 0;
  const auto moved = [&](double from, double to) {
    return from + direction * std::max(0.0, from - to);
  };
  return {.latency_seconds = moved(typical.latency_seconds, shortest.latency_seconds),
          .seconds_per_byte = moved(typical.seconds_per_byte, shortest.seconds_per_byte)};
}

const CommunicatorTimes& Calibration::communicator(const std::string& name, int ranks) const {
  const CommunicatorTimes* best = nullptr;
  std::set<std::string> measured;
  for (const auto& times : communicators) {
    measured.insert(times.name);
    if (times.name != name) continue;
    const bool fits = times.ranks <= ranks;
    const bool better =
        best == nullptr ||
        (best->ranks > ranks ? times.ranks < best->ranks : fits && times.ranks > best->ranks);
    if (better) best = &times;
  }
  if (best != nullptr) return *best;
  throw UsageError(fmt::format(
      "communicator '{}' was not measured in this calibration, which has: {}; give --comm one of "
      "them, or --calibrate to measure again",
      name, fmt::join(measured, ", ")));
}

}  // namespace yoke::forecast
