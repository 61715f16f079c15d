#include "yoke/comm/received.h"

#include <fmt/format.h>

#include <optional>

#include "yoke/core/parse_number.h"

namespace yoke {
namespace {

using nlohmann::json;

constexpr int kDeepest = 16;

/// Whoever copies or prints JSON calls himself for each level.
void check_depth(const json& json, int depth = 1) {
  if (!json.is_structured()) return;
  if (depth > kDeepest) throw Error(fmt::format("it is nested more than {} deep", kDeepest));
  for (const auto& item : json) check_depth(item, depth + 1);
}

}  // namespace

std::string excerpt(std::string_view text) {
  constexpr std::size_t kLongest = 100;
  const std::string shown(text.substr(0, kLongest));
  return json(shown).dump(-1, ' ', /*ensure_ascii=*/true, json::error_handler_t::replace) +
         (text.size() > kLongest ? "..." : "");
}

std::int64_t whole_number(const json& json, std::int64_t least, std::int64_t most) {
  const std::string text = json.dump();
  const auto number = parse_number<std::int64_t>(text, least, most);
  if (!number) {
    throw Error(fmt::format("{} is no whole number from {} to {}", excerpt(text), least, most));
  }
  return *number;
}

json parse_shallow_json(const std::string& text) {
  json found;
  try {
    found = json::parse(text);
  } catch (const json::exception&) {
    throw Error("it is not JSON");
  }
  check_depth(found);
  return found;
}

}  // namespace yoke
