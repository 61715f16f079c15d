// yoke/train/config/interval.h: how often something happens: every so many epochs, steps or
// minutes.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "yoke/core/epochs.h"

namespace yoke {

/// `1epoch`, `500steps`, `10min`, or off.
class Interval {
 public:
  Interval() = default;  ///< Off.

  /// Parses `1epoch`, `0.5epochs`, `500steps`, `10min`, `30s` or `off`. `flag` is for messages.
  /// @throws UsageError on anything else.
  static Interval parse(std::string_view text, std::string_view flag);

  bool on() const { return unit_ != Unit::kOff; }

  /// Whether it is due after `steps` steps of the run, when `seconds` have passed since it last
  /// was.
  bool due(std::int64_t steps, const Epochs& epochs, double seconds) const;

  const std::string& str() const { return text_; }

 private:
  enum class Unit { kOff, kEpochs, kSteps, kSeconds };
  Unit unit_ = Unit::kOff;
  double amount_ = 0;
  std::string text_ = "off";
};

}  // namespace yoke
