// yoke/core/parse_number.h: numbers in text.
#pragma once
#include <charconv>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>

namespace yoke {

/// The decimal number that all of `text` is, or nothing where it is none or lies outside [least,
/// most]. Blanks and a plus sign are no part of a number, infinity and NaN are none.
template <typename Number>
std::optional<Number> parse_number(std::string_view text,
                                   Number least = std::numeric_limits<Number>::lowest(),
                                   Number most = std::numeric_limits<Number>::max()) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  const bool inside = number >= least && number <= most;  // which NaN is not
  if (error != std::errc() || stop != end || !inside) return std::nullopt;
  return number;
}

/// Takes the number that `text` begins with off it, as of `5min`; nothing, and `text` as it was,
/// where it begins with none.
template <typename Number>
std::optional<Number> take_number(std::string_view& text) {
  Number number{};
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  constexpr Number kLeast = std::numeric_limits<Number>::lowest();
  const bool finite = number >= kLeast && number <= std::numeric_limits<Number>::max();
  if (error != std::errc() || !finite) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  return number;
}

}  // namespace yoke
