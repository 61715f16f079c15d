// yoke/study/findings/numbers.h: the numbers of summary.json that points are compared by.
#pragma once
#include <array>
#include <string>

#include "yoke/run/summary.h"

namespace yoke::study {

/// One of them.
struct Number {
  const char* name;
  const char* what;
  const char* unit;  ///< Empty where `what` says it.
  bool less_is_better;

  /// Whether `a` is better than `b`.
  bool better(double a, double b) const { return less_is_better ? a < b : a > b; }
  /// `whole time (s)`.
  std::string meaning() const;
  /// The value as people read it: `91.2 %`, `12.3 s`.
  std::string words(double value) const;
  /// What the axis of a graph is called, and what values are multiplied by there: fractions are
  /// drawn in per cent.
  std::string axis() const;
  double factor() const;
};

inline constexpr const char* kFraction = "fraction";

inline constexpr std::array<Number, 6> kNumbers = {
    {{key::kTrainSeconds, "time of training steps", "s", true},
     {key::kWallSeconds, "whole time", "s", true},
     {key::kTimeToTargetSeconds, "time to the target accuracy", "s", true},
     {key::kImagesPerSecond, "images per second", "", false},
     {key::kValTop1, "top-1 accuracy on validation images", kFraction, false},
     {key::kValLoss, "cross-entropy on validation images", "nats", true}}};

/// The one of kNumbers with this name. @throws Error for another name.
const Number& number_named(const std::string& name);

}  // namespace yoke::study
