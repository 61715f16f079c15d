#include "apps/yoke/number_flag.h"

#include <fmt/format.h>

#include <string>

namespace yoke {
namespace {

CLI::Validator number(const std::string& allowed, bool (*is_allowed)(double)) {
  const auto check = [allowed, is_allowed](const std::string& text) {
    double value = 0;
    if (CLI::detail::lexical_cast(text, value) && is_allowed(value)) return std::string();
    return fmt::format("'{}' is given; allowed: {}", text, allowed);
  };
  return {check, /*validator_desc=*/""};
}

}  // namespace

CLI::Validator from_zero() {
  return number("a number from 0 on", [](double value) { return value >= 0; });
}

CLI::Validator above_zero() {
  return number("a number above 0", [](double value) { return value > 0; });
}

}  // namespace yoke
