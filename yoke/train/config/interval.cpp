#include "yoke/train/config/interval.h"

#include <fmt/format.h>

#include <cmath>

#include "yoke/core/error.h"
#include "yoke/core/parse_number.h"

namespace yoke {

Interval Interval::parse(std::string_view text, std::string_view flag) {
  Interval interval;
  if (text == "off") return interval;
  interval.text_ = std::string(text);
  std::string_view unit = text;
  interval.amount_ = take_number<double>(unit).value_or(0);
  if (unit == "epoch" || unit == "epochs") interval.unit_ = Unit::kEpochs;
  if (unit == "step" || unit == "steps") interval.unit_ = Unit::kSteps;
  if (unit == "min" || unit == "s") interval.unit_ = Unit::kSeconds;
  if (unit == "min") interval.amount_ *= 60;
  const bool whole =
      interval.unit_ != Unit::kSteps || std::floor(interval.amount_) == interval.amount_;
  if (!interval.on() || !(interval.amount_ > 0) || !std::isfinite(interval.amount_) || !whole) {
    throw UsageError(fmt::format(
        "{} is '{}'; allowed: a positive number and a unit, e.g. 1epoch, 500steps, 10min; or off",
        flag, text));
  }
  return interval;
}

bool Interval::due(std::int64_t steps, const Epochs& epochs, double seconds) const {
  switch (unit_) {
    case Unit::kOff:
      return false;
    case Unit::kSteps:
      return steps % static_cast<std::int64_t>(amount_) == 0;
    case Unit::kSeconds:
      return seconds >= amount_;
    case Unit::kEpochs: {
      // Due when a multiple of the interval, rounded to a step, is reached.
      const std::int64_t epoch = epochs.at(steps - 1);
      const double multiple = std::max(1.0, std::round(epochs.passed(steps) / amount_));
      return std::max<std::int64_t>(1, epochs.steps_until(multiple * amount_)) == steps ||
             amount_ * static_cast<double>(epochs.steps(epoch)) <= 1;
    }
  }
  return false;
}

}  // namespace yoke
