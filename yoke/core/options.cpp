#include "yoke/core/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "yoke/core/error.h"

namespace yoke {
namespace {

template <typename Number>
bool parse_number(const std::string& text, Number& number) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end && !text.empty();
}

template <typename Number>
std::string range_text(const char* what, Number least, Number most) {
  const bool below = least > std::numeric_limits<Number>::lowest();
  const bool above = most < std::numeric_limits<Number>::max();
  if (below && above) return fmt::format("{} in [{}, {}]", what, least, most);
  if (below) return fmt::format("{} of at least {}", what, least);
  if (above) return fmt::format("{} of at most {}", what, most);
  return what;
}

}  // namespace

Options::Options(std::string_view text, std::string owner) : owner_(std::move(owner)) {
  while (!text.empty()) {
    const auto comma = text.find(',');
    const std::string_view pair = text.substr(0, comma);
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    const auto equals = pair.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      throw UsageError(
          fmt::format("'{}' given to {}; options are written key=value,key=value", pair, owner_));
    }
    const std::string key(pair.substr(0, equals));
    if (!values_.emplace(key, pair.substr(equals + 1)).second) {
      throw UsageError(fmt::format("option '{}' of {} is given twice; give it once", key, owner_));
    }
  }
}

const std::string* Options::find(const std::string& key, std::string fallback) {
  defaults_[key] = std::move(fallback);
  const auto found = values_.find(key);
  return found == values_.end() ? nullptr : &found->second;
}

void Options::reject(const std::string& key, const std::string& value,
                     const std::string& allowed) const {
  throw UsageError(
      fmt::format("option '{}' of {} is '{}'; allowed: {}", key, owner_, value, allowed));
}

double Options::get(const std::string& key, double fallback, double least, double most) {
  const std::string* text = find(key, fmt::format("{}", fallback));
  if (text == nullptr) return fallback;
  double value = 0;
  if (!parse_number(*text, value) || !std::isfinite(value) || value < least || value > most) {
    reject(key, *text, range_text("a number", least, most));
  }
  return value;
}

std::int64_t Options::get(const std::string& key, std::int64_t fallback, std::int64_t least,
                          std::int64_t most) {
  const std::string* text = find(key, fmt::format("{}", fallback));
  if (text == nullptr) return fallback;
  std::int64_t value = 0;
  if (!parse_number(*text, value) || value < least || value > most) {
    reject(key, *text, range_text("a whole number", least, most));
  }
  return value;
}

bool Options::get(const std::string& key, bool fallback) {
  const std::string* text = find(key, fallback ? "true" : "false");
  if (text == nullptr) return fallback;
  if (*text == "true" || *text == "on" || *text == "1") return true;
  if (*text == "false" || *text == "off" || *text == "0") return false;
  reject(key, *text, "true, false");
}

std::string Options::get(const std::string& key, const std::string& fallback,
                         const std::vector<std::string>& allowed) {
  const std::string* text = find(key, fallback);
  if (text == nullptr) return fallback;
  if (!allowed.empty() && std::find(allowed.begin(), allowed.end(), *text) == allowed.end()) {
    reject(key, *text, fmt::format("{}", fmt::join(allowed, ", ")));
  }
  return *text;
}

void Options::finish() const {
  for (const auto& [key, value] : values_) {
    if (defaults_.contains(key)) continue;
    std::vector<std::string> allowed;
    for (const auto& [known, fallback] : defaults_) allowed.push_back(known);
    throw UsageError(
        fmt::format("unknown option '{}' of {}; allowed: {}", key, owner_,
                    allowed.empty() ? "none" : fmt::format("{}", fmt::join(allowed, ", "))));
  }
}

std::string Options::describe() const {
  std::vector<std::string> pairs;
  for (const auto& [key, fallback] : defaults_) {
    pairs.push_back(fmt::format("{}={}", key, fallback));
  }
  return fmt::format("{}", fmt::join(pairs, ", "));
}

Choice Choice::parse(std::string_view text, std::string_view kind) {
  const auto colon = text.find(':');
  Choice choice;
  choice.name = std::string(text.substr(0, colon));
  const std::string_view rest =
      colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
  choice.options = Options(rest, fmt::format("{} '{}'", kind, choice.name));
  return choice;
}

Choice Choice::parse_inner(std::string_view text, std::string_view kind) {
  std::string plain(text);
  std::replace(plain.begin(), plain.end(), '+', ',');
  return parse(plain, kind);
}

}  // namespace yoke
