// yoke/core/plugins/option_format.h: how the values of an option are written, and which it takes.
#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "yoke/core/plugins/options.h"

namespace yoke {

/// Numbers from `least` to `most`; where `open`, `most` itself is not among them.
struct Range {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool open = false;

  bool contains(double value) const;
  /// `what` in words: "a number in [0, 1)", "a whole number of at least 1".
  std::string str(std::string_view what) const;
};

/// The open end of a range.
struct Below {
  double most;
};

constexpr Below below(double most) { return {most}; }
constexpr Range in(double least, double most) { return {.least = least, .most = most}; }
constexpr Range in(double least, Below end) {
  return {.least = least, .most = end.most, .open = true};
}
constexpr Range at_least(double least) { return {.least = least}; }

enum class OptionKind { kNumber, kWholeNumber, kSwitch, kWord, kText };

/// How values of type `T` are written.
template <typename T>
struct OptionFormat {
  OptionKind kind = OptionKind::kText;
  Range range = {};                                           ///< Of numbers.
  std::function<std::string()> allowed;                       ///< The values there are, in words.
  std::function<std::optional<T>(const std::string&)> parse;  ///< Nothing of one not allowed.
  std::function<std::string(const T&)> print;
};

/// What an optional value is where there is none: a word that can be given (`every=end`), or, not
/// `given`, words for people.
struct WhereNone {
  std::string text;
  bool given;
};

inline WhereNone or_word(std::string word) { return {std::move(word), true}; }
inline WhereNone unset(std::string means) { return {std::move(means), false}; }

/// Words and what they stand for.
template <typename T>
using Words = std::vector<std::pair<std::string, T>>;

/// Finite numbers in `range`, and in that of the type: double, int or std::int64_t.
template <typename T>
OptionFormat<T> number_format(Range range);

/// true, false; on, off, 1 and 0 as well.
OptionFormat<bool> switch_format();

/// Any text without a comma.
OptionFormat<std::string> text_format();

/// One of the words that `names` gives when it is asked.
OptionFormat<std::string> name_format(std::function<std::vector<std::string>()> names);

inline OptionFormat<std::string> name_format(std::vector<std::string> names) {
  return name_format([names = std::move(names)] { return names; });
}

/// One of `words`; their values differ.
template <typename T>
OptionFormat<T> word_format(Words<T> words) {
  std::vector<std::string> names;
  for (const auto& [word, value] : words) names.push_back(word);
  const auto text = name_format(names);
  return {.kind = OptionKind::kWord,
          .allowed = text.allowed,
          .parse = [words](const std::string& given) -> std::optional<T> {
            for (const auto& [word, value] : words) {
              if (word == given) return value;
            }
            return std::nullopt;
          },
          .print = [words](const T& value) -> std::string {
            for (const auto& [word, its] : words) {
              if (its == value) return word;
            }
            return {};
          }};
}

/// As `format`, or none.
template <typename T>
OptionFormat<std::optional<T>> optional_format(OptionFormat<T> format, WhereNone none) {
  return {.kind = format.kind,
          .range = format.range,
          .allowed =
              [format, none] {
                return none.given ? format.allowed() + ", or " + none.text : format.allowed();
              },
          .parse = [format, none](const std::string& text) -> std::optional<std::optional<T>> {
            if (none.given && text == none.text) return std::optional<T>();
            const std::optional<T> value = format.parse(text);
            if (!value) return std::nullopt;
            return std::make_optional(value);
          },
          .print =
              [format, none](const std::optional<T>& value) {
                return value ? format.print(*value) : none.text;
              }};
}

/// What was given of an option, by the first of `names` or an older one.
/// @throws UsageError where that is not allowed.
template <typename T>
std::optional<T> read_option(Options& options, const std::vector<std::string>& names,
                             const OptionFormat<T>& format) {
  const auto given = options.take(names);
  if (!given) return std::nullopt;
  std::optional<T> value = format.parse(given->value);
  if (!value) options.reject(*given, format.allowed());
  return value;
}

}  // namespace yoke
