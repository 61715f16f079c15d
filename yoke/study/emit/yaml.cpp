#include "yoke/study/emit/yaml.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

namespace yoke::study {
namespace {

using Json = nlohmann::ordered_json;

/// Whether text needs no quotes: it begins with a letter, and is no word for another type.
bool is_plain(const std::string& text) {
  const auto of_word = [](unsigned char letter) {
    return letter < 128 && (std::isalnum(letter) != 0 || letter == '-' || letter == '.' ||
                            letter == '/' || letter == '_');
  };
  if (text.empty() || !std::all_of(text.begin(), text.end(), of_word)) return false;
  if (std::isalpha(static_cast<unsigned char>(text.front())) == 0) return false;
  static const std::set<std::string> kOtherTypes = {"true", "false", "null", "yes", "no",
                                                    "on",   "off",   "y",    "n"};
  std::string lower = text;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char letter) { return std::tolower(letter); });
  return !kOtherTypes.contains(lower);
}

/// Strings of JSON are strings of YAML.
std::string scalar(const Json& value) {
  if (value.is_string() && is_plain(value.get<std::string>())) return value.get<std::string>();
  return value.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

bool is_block(const Json& value) { return value.is_structured() && !value.empty(); }

std::string block(const Json& value, std::size_t indent) {
  const std::string space(indent, ' ');
  std::string text;
  if (value.is_object()) {
    for (const auto& [key, item] : value.items()) {
      const bool below = is_block(item);
      text += fmt::format("{}{}:{}{}", space, scalar(Json(key)), below ? '\n' : ' ',
                          below ? block(item, indent + 2) : scalar(item) + '\n');
    }
    return text;
  }
  for (const auto& item : value) {
    std::string inner =
        is_block(item) ? block(item, indent + 2) : space + "  " + scalar(item) + "\n";
    inner[indent] = '-';
    text += inner;
  }
  return text;
}

}  // namespace

std::string yaml_text(const Json& value) {
  return is_block(value) ? block(value, 0) : scalar(value) + "\n";
}

}  // namespace yoke::study
