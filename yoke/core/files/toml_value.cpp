#include "yoke/core/files/toml_value.h"

#include <fmt/format.h>

#include <algorithm>

namespace yoke {

std::optional<RecipeEntry> recipe_entry(std::string_view key, const toml::node& node) {
  RecipeEntry entry{.key = std::string(key),
                    .value = {},
                    .quoted = node.is_string(),
                    .line = static_cast<int>(node.source().begin.line)};
  std::replace(entry.key.begin(), entry.key.end(), '_', '-');
  if (node.is_string()) {
    entry.value = node.as_string()->get();
  } else if (node.is_integer()) {
    entry.value = fmt::format("{}", node.as_integer()->get());
  } else if (node.is_floating_point()) {
    entry.value = fmt::format("{}", node.as_floating_point()->get());
  } else if (node.is_boolean()) {
    entry.value = node.as_boolean()->get() ? "true" : "false";
  } else {
    return std::nullopt;
  }
  return entry;
}

}  // namespace yoke
