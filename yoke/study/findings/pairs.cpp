#include "yoke/study/findings/pairs.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "yoke/run/flag_names.h"
#include "yoke/run/summary.h"

namespace yoke::study {
namespace {

/// By seed; of two runs with one seed the first.
std::map<std::string, double> values_of(const Repetitions& group, const std::string& number) {
  std::map<std::string, double> values;
  for (const auto& run : group.runs) {
    const auto seed = run.config.find(flag::kSeed);
    const auto value = run.number(number);
    const bool counts = run.status == run_status::kCompleted && seed != run.config.end();
    if (counts && value && std::isfinite(*value)) values.emplace(seed->second, *value);
  }
  return values;
}

}  // namespace

std::vector<PairedPoint> pair_points(const Comparison& comparison, const std::string& number,
                                     bool less_is_better) {
  const auto base =
      std::find_if(comparison.groups.begin(), comparison.groups.end(),
                   [&](const Repetitions& group) { return group.label == comparison.base; });
  if (base == comparison.groups.end()) return {};
  const auto of_base = values_of(*base, number);
  std::vector<PairedPoint> points;
  for (const auto& group : comparison.groups) {
    if (&group == &*base) continue;
    std::vector<double> differences;
    for (const auto& [seed, value] : values_of(group, number)) {
      if (const auto found = of_base.find(seed); found != of_base.end()) {
        differences.push_back(value - found->second);
      }
    }
    if (differences.empty()) continue;
    points.push_back({.label = group.label, .difference = summarise(std::move(differences))});
  }
  std::stable_sort(points.begin(), points.end(), [&](const auto& a, const auto& b) {
    return less_is_better ? a.difference.mean < b.difference.mean
                          : a.difference.mean > b.difference.mean;
  });
  return points;
}

}  // namespace yoke::study
