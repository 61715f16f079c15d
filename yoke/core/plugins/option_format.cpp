#include "yoke/core/plugins/option_format.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "yoke/core/parse_number.h"

namespace yoke {
namespace {

/// The shortest text that reads as the same number: `0.25`, `1e-8`.
std::string number_text(double value) {
  std::string text = fmt::format("{}", value);
  const auto exponent = text.find('e');
  if (exponent != std::string::npos && text[exponent + 2] == '0') text.erase(exponent + 2, 1);
  return text;
}

}  // namespace

bool Range::contains(double value) const {
  return value >= least && (open ? value < most : value <= most);
}

std::string Range::str(std::string_view what) const {
  const bool from = std::isfinite(least), to = std::isfinite(most);
  const std::string end = number_text(most);
  if (from && to) {
    return fmt::format("{} in [{}, {}{}", what, number_text(least), end, open ? ")" : "]");
  }
  if (from) return fmt::format("{} of at least {}", what, number_text(least));
  if (to) return fmt::format("{} {} {}", what, open ? "below" : "of at most", end);
  return std::string(what);
}

template <typename T>
OptionFormat<T> number_format(Range range) {
  constexpr bool kWhole = std::is_integral_v<T>;
  return {.kind = kWhole ? OptionKind::kWholeNumber : OptionKind::kNumber,
          .range = range,
          .allowed = [range] { return range.str(kWhole ? "a whole number" : "a number"); },
          .parse = [range](const std::string& text) -> std::optional<T> {
            const auto value = parse_number<T>(text);
            const bool inside = value && range.contains(static_cast<double>(*value));
            return inside ? value : std::nullopt;
          },
          .print = [](const T& value) -> std::string {
            if constexpr (kWhole) {
              return fmt::format("{}", value);
            } else {
              return number_text(value);
            }
          }};
}

template OptionFormat<double> number_format(Range range);
template OptionFormat<int> number_format(Range range);
template OptionFormat<std::int64_t> number_format(Range range);

OptionFormat<bool> switch_format() {
  return {.kind = OptionKind::kSwitch,
          .allowed = [] { return std::string("true, false"); },
          .parse = [](const std::string& text) -> std::optional<bool> {
            if (text == "true" || text == "on" || text == "1") return true;
            if (text == "false" || text == "off" || text == "0") return false;
            return std::nullopt;
          },
          .print = [](const bool& value) { return std::string(value ? "true" : "false"); }};
}

OptionFormat<std::string> text_format() {
  return {.kind = OptionKind::kText,
          .allowed = [] { return std::string("any text"); },
          .parse = [](const std::string& text) { return std::optional(text); },
          .print = [](const std::string& text) { return text; }};
}

OptionFormat<std::string> name_format(std::function<std::vector<std::string>()> names) {
  return {.kind = OptionKind::kWord,
          .allowed = [names] { return fmt::format("{}", fmt::join(names(), ", ")); },
          .parse = [names](const std::string& text) -> std::optional<std::string> {
            const auto all = names();
            if (std::find(all.begin(), all.end(), text) == all.end()) return std::nullopt;
            return text;
          },
          .print = [](const std::string& text) { return text; }};
}

}  // namespace yoke
