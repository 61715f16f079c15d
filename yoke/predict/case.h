// yoke/predict/case.h: the three cases of which a range is made.
#pragma once
#include <array>

namespace yoke::predict {

/// How well things go: measured numbers at their lower quartile, as usual, at their upper one.
enum class Case { kLow, kTypical, kHigh };

inline constexpr std::array kCases = {Case::kLow, Case::kTypical, Case::kHigh};

/// A number in each case; `low` is the better end where less is better.
struct Range {
  double low = 0, typical = 0, high = 0;

  double& operator[](Case which) {
    return which == Case::kLow ? low : which == Case::kTypical ? typical : high;
  }
  double operator[](Case which) const {
    return which == Case::kLow ? low : which == Case::kTypical ? typical : high;
  }
};

}  // namespace yoke::predict
