#include "yoke/core/system/shell.h"

#include <algorithm>
#include <string_view>

namespace yoke {
namespace {

bool is_plain(const std::string& word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') ||
           std::string_view("-_./:,+@%").find(letter) != std::string_view::npos;
  });
}

}  // namespace

std::string shell_word(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string shell_line(const std::vector<std::string>& words) {
  std::string line;
  for (const auto& word : words) {
    if (!line.empty()) line += ' ';
    line += is_plain(word) ? word : shell_word(word);
  }
  return line;
}

}  // namespace yoke
