// yoke/study/findings/point_tests.h: which points differ by more than chance.
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
  int runs = 0;                       ///< That have completed.
  Sample sample;                      ///< Over those of them that have the number.
  Difference difference = {};         ///< p is before Holm's correction.
  std::optional<double> holm_p = {};  ///< After.
  /// `best`, `differs`, `cannot be told`, `nothing varies`, `too few runs to tell`, or `not in
  /// every run` of a point that is not compared because it has the number in some of its runs
  /// alone.
  std::string verdict = {};

  bool whole() const { return sample.n == runs; }
};

/// Points with completed runs by a number of summary.json, the best median first; those that are
/// not compared are last.
std::vector<TestedPoint> test_points(const Comparison& comparison, const std::string& number,
                                     bool less_is_better);

}  // namespace yoke::study
