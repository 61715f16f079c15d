#include "yoke/core/plugins/options.h"

#include <fmt/format.h>

#include <algorithm>

#include "yoke/core/error.h"
#include "yoke/core/nearest_name.h"
#include "yoke/core/plugins/option_format.h"
#include "yoke/core/plugins/option_text.h"

namespace yoke {
namespace {

/// `least` and `most` as a range; the limits of the type bound nothing.
template <typename Number>
Range range_of(Number least, Number most) {
  Range range;
  if (least > std::numeric_limits<Number>::lowest()) range.least = static_cast<double>(least);
  if (most < std::numeric_limits<Number>::max()) range.most = static_cast<double>(most);
  return range;
}

[[noreturn]] void refuse_bare(const std::string& text, const std::string& owner) {
  throw UsageError(fmt::format(
      "'{}' given to {}; options are written key=value,key=value, a comma in a value as \\,", text,
      owner));
}

}  // namespace

std::string Options::written(std::string_view value) {
  std::string text;
  for (const char letter : value) {
    if (letter == ',' || letter == '\\') text += '\\';
    text += letter;
  }
  return text;
}

Options::Options(std::string_view text, std::string owner) : owner_(std::move(owner)) {
  while (!text.empty()) {
    const std::string pair = take_pair(text);
    const auto equals = pair.find('=');
    if (equals == std::string::npos && !pair.empty() && values_.empty() && !bare_) {
      bare_ = pair;
      continue;
    }
    if (equals == std::string::npos || equals == 0) refuse_bare(pair, owner_);
    const std::string key = pair.substr(0, equals);
    if (!values_.emplace(key, pair.substr(equals + 1)).second) {
      throw UsageError(fmt::format("option '{}' of {} is given twice; give it once", key, owner_));
    }
  }
}

std::optional<Options::Pair> Options::take(const std::vector<std::string>& names) {
  known_.insert(names.front());
  std::optional<Pair> given;
  for (const auto& name : names) {
    const auto found = values_.find(name);
    if (found == values_.end()) continue;
    if (given) {
      throw UsageError(
          fmt::format("option '{}' of {} is given twice, for '{}' is its older name; "
                      "give it once, as {}",
                      names.front(), owner_, name, names.front()));
    }
    if (name != names.front()) older_.insert(name);
    given = Pair{.key = name, .value = found->second};
  }
  return given;
}

void Options::reject(const Pair& given, const std::string& allowed) const {
  throw UsageError(fmt::format("option '{}' of {} is '{}'; allowed: {}", given.key, owner_,
                               given.value, allowed));
}

double Options::get(const std::string& key, double fallback, double least, double most) {
  return read_option(*this, {key}, number_format<double>(range_of(least, most))).value_or(fallback);
}

std::int64_t Options::get(const std::string& key, std::int64_t fallback, std::int64_t least,
                          std::int64_t most) {
  return read_option(*this, {key}, number_format<std::int64_t>(range_of(least, most)))
      .value_or(fallback);
}

bool Options::get(const std::string& key, bool fallback) {
  return read_option(*this, {key}, switch_format()).value_or(fallback);
}

std::string Options::get(const std::string& key, const std::string& fallback,
                         const std::vector<std::string>& allowed) {
  const auto format = allowed.empty() ? text_format() : name_format(allowed);
  return read_option(*this, {key}, format).value_or(fallback);
}

void Options::name_bare(const std::string& key) {
  if (!bare_) return;
  if (!values_.emplace(key, *bare_).second) {
    throw UsageError(
        fmt::format("'{}' given to {} is its option '{}', which is given twice; give "
                    "it once",
                    *bare_, owner_, key));
  }
  bare_.reset();
}

void Options::finish() const {
  if (bare_) refuse_bare(*bare_, owner_);
  for (const auto& [key, value] : values_) {
    if (known_.contains(key) || older_.contains(key)) continue;
    throw UsageError(fmt::format("unknown option '{}' of {}; {}", key, owner_,
                                 suggest(key, {known_.begin(), known_.end()})));
  }
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
