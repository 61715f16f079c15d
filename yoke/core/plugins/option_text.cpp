#include "yoke/core/plugins/option_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "yoke/core/plugins/options.h"

namespace yoke {

std::string take_pair(std::string_view& text) {
  std::string pair;
  while (!text.empty()) {
    const bool inside = text.starts_with("\\,") || text.starts_with("\\\\");
    if (inside) text.remove_prefix(1);
    const char letter = text.front();
    text.remove_prefix(1);
    if (letter == ',' && !inside) break;
    pair += letter;
  }
  return pair;
}

std::string with_option(std::string_view text, std::string_view key, std::string_view value) {
  const auto colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  text.remove_prefix(colon == std::string_view::npos ? text.size() : colon + 1);
  const std::string begin = fmt::format("{}=", key);
  const std::string own = begin + Options::written(value);
  std::vector<std::string> pairs;
  bool replaced = false;
  while (!text.empty()) {
    const std::string pair = take_pair(text);
    const bool same = pair.starts_with(begin);
    pairs.push_back(same ? own : Options::written(pair));
    replaced = replaced || same;
  }
  if (!replaced) pairs.push_back(own);
  return fmt::format("{}:{}", name, fmt::join(pairs, ","));
}

}  // namespace yoke
