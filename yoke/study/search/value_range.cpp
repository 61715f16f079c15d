#include "yoke/study/search/value_range.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "yoke/core/error.h"
#include "yoke/core/parse_number.h"

namespace yoke::study {
namespace {

/// Of four digits, which is more than a network tells apart, and can be read.
double rounded(double number) {
  return parse_number<double>(fmt::format("{:.4g}", number)).value_or(number);
}

}  // namespace

ValueRange::ValueRange(const Ends& ends) : ends_(ends) {
  constexpr double kMost = 1e15;  // beyond which a double does not tell whole numbers apart
  if (!(std::abs(ends.low) <= kMost) || !(std::abs(ends.high) <= kMost)) {
    throw UsageError(fmt::format("a range from {:g} to {:g}; allowed: numbers from {:g} to {:g}",
                                 ends.low, ends.high, -kMost, kMost));
  }
  if (ends.low >= ends.high) {
    throw UsageError(
        fmt::format("a range from {:g} to {:g} has nothing to draw from; give a low "
                    "below its high, or the value alone",
                    ends.low, ends.high));
  }
  const double wide = ends.high - ends.low;
  if (ends.step != 0 && !(ends.step >= wide / kMost && ends.step <= wide)) {
    throw UsageError(fmt::format(
        "step is {:g}; allowed: above 0, and no more than from low to high, which is {:g}",
        ends.step, wide));
  }
  if (ends.log && ends.step > 0) {
    throw UsageError("a range is logarithmic or has a step; leave one of them out");
  }
  if (ends.log && ends.low <= 0) {
    throw UsageError(
        fmt::format("a logarithmic range begins at {:g}; give a low above 0", ends.low));
  }
  if (ends.whole && !ends.log && ends.step == 0) ends_.step = 1;
}

std::string ValueRange::draw(RandomStream& stream) const {
  double number = 0;
  if (const auto numbers = count(); numbers && !ends_.log) {
    number = ends_.low +
             ends_.step * static_cast<double>(stream.below(static_cast<std::uint64_t>(*numbers)));
  } else if (ends_.log) {
    const double half = ends_.whole ? 0.5 : 0;  // so that the ends are as likely as others
    number = std::exp(stream.uniform(std::log(ends_.low - half), std::log(ends_.high + half)));
  } else {
    number = stream.uniform(ends_.low, ends_.high);
  }
  number = std::clamp(ends_.whole ? std::round(number) : rounded(number), ends_.low, ends_.high);
  return ends_.whole ? fmt::format("{}", static_cast<std::int64_t>(number))
                     : fmt::format("{}", number);
}

std::optional<std::int64_t> ValueRange::count() const {
  if (ends_.whole && ends_.log) return static_cast<std::int64_t>(ends_.high - ends_.low) + 1;
  if (ends_.step == 0) return std::nullopt;
  constexpr double kRoom = 1e-9;  // of rounding: 0.1, 0.2, 0.3
  return static_cast<std::int64_t>((ends_.high - ends_.low) / ends_.step + kRoom) + 1;
}

}  // namespace yoke::study
