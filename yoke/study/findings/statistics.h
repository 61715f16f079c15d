// yoke/study/findings/statistics.h: what repeated measurements say, and whether two of them differ.
#pragma once
#include <optional>
#include <utility>
#include <vector>

namespace yoke::study {

/// Repeated measurements of one thing.
struct Sample {
  int n = 0;
  double median = 0, least = 0, most = 0, mean = 0;
  double deviation = 0;  ///< Sample standard deviation; 0 for n < 2.
  /// 95 % interval of the mean by Student's t (Student 1908; for measurements of programs: Georges
  /// et al., OOPSLA 2007, section 3.2); nothing for n < 2.
  std::optional<std::pair<double, double>> interval;
};

/// @throws Error for no value, or one that is not finite.
Sample summarise(std::vector<double> values);

/// Whether two means differ.
struct Difference {
  double ratio = 1;              ///< Mean of b divided by mean of a.
  std::optional<double> p = {};  ///< Of Welch's test; nothing where n < 2 or nothing varies.
};

/// Welch's t test of unequal variances, two-sided (Welch, Biometrika 34, 1947).
Difference compare(const Sample& a, const Sample& b);

/// Raises each p of a family of tests so that each may be held against one level (Holm 1979).
/// Nothing stays nothing.
std::vector<std::optional<double>> holm(const std::vector<std::optional<double>>& p);

}  // namespace yoke::study
