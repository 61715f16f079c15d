#include "yoke/study/findings/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "yoke/core/error.h"
#include "yoke/study/report/words.h"

namespace yoke::study {
namespace {

bool is_fraction(const Number& number) { return number.unit == std::string_view(kFraction); }

std::string with_unit(std::string_view what, std::string_view unit) {
  return unit.empty() ? std::string(what) : fmt::format("{} ({})", what, unit);
}

}  // namespace

std::string Number::meaning() const { return with_unit(what, unit); }

std::string Number::words(double value) const {
  if (is_fraction(*this)) return in_percent(value);
  if (unit == std::string_view("s")) return in_seconds(value);
  return fmt::format("{:.4g}{}{}", value, *unit == '\0' ? "" : " ", unit);
}

std::string Number::axis() const { return with_unit(what, is_fraction(*this) ? "%" : unit); }

double Number::factor() const { return is_fraction(*this) ? 100 : 1; }

const Number& number_named(const std::string& name) {
  const auto* const found = std::find_if(kNumbers.begin(), kNumbers.end(),
                                         [&](const Number& number) { return number.name == name; });
  if (found == kNumbers.end()) throw Error(fmt::format("no number is called '{}'", name));
  return *found;
}

}  // namespace yoke::study
