// yoke/core/enum_words.h: the words that users type for the values of an enumeration.
#pragma once
#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "yoke/core/error.h"

namespace yoke {

/// Specialised for an enumeration whose values count from 0: `static constexpr std::string_view
/// kWords[]` has the word of each, in their order.
template <typename Enum>
struct EnumWords;

/// The word of `value`.
template <typename Enum>
std::string word_of(Enum value) {
  return std::string(EnumWords<Enum>::kWords[static_cast<std::size_t>(value)]);
}

/// All words, with `between` between them: `auto, on, off`.
template <typename Enum>
std::string words_of(std::string_view between = ", ") {
  std::string words;
  for (const std::string_view word : EnumWords<Enum>::kWords) {
    if (!words.empty()) words += between;
    words += word;
  }
  return words;
}

/// The value that `word` names; `what` is it in messages, e.g. "--tf32". @throws UsageError that
/// lists the words.
template <typename Enum>
Enum parse_word(std::string_view what, std::string_view word) {
  std::size_t index = 0;
  for (const std::string_view known : EnumWords<Enum>::kWords) {
    if (known == word) return static_cast<Enum>(index);
    ++index;
  }
  throw UsageError(fmt::format("{} is '{}'; allowed: {}", what, word, words_of<Enum>()));
}

}  // namespace yoke
