// yoke/study/point_tests.h: which points differ by more than chance.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "yoke/study/groups.h"

namespace yoke::study {

/// The level of all comparisons of one number together.
inline constexpr double kLevel = 0.05;

/// A point, and its difference to the best one.
struct TestedPoint {
  std::string label;
  Sample sample;
  Difference difference;              ///< p is before Holm's correction.
  std::optional<double> holm_p = {};  ///< After.
  std::string verdict;  ///< `best`, `differs`, `cannot be told`, `too few runs to tell`.
};

/// Each point by a number of summary.json, the best median first.
std::vector<TestedPoint> test_points(const Comparison& comparison, const std::string& number,
                                     bool less_is_better);

}  // namespace yoke::study
