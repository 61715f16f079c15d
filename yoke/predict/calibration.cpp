#include "yoke/predict/calibration.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numeric>
#include <set>

#include "yoke/core/error.h"

namespace yoke::predict {

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
  std::vector<Point> chosen = which == Case::kLow ? least : points;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (which == Case::kHigh) chosen[i].second = 2 * points[i].second - least[i].second;
  }
  return fit_link(chosen);
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

}  // namespace yoke::predict
