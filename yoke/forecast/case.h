// yoke/forecast/case.h: the three cases of which a range is made.
#pragma once
#include <array>

namespace yoke::forecast {

/// How well things go: measured numbers at their lower quartile, as usual, at their upper one.
enum class Case { kLow, kTypical, kHigh };

inline constexpr std::array kCases = {Case::kLow, Case::kTypical, Case::kHigh};

}  // namespace yoke::forecast
