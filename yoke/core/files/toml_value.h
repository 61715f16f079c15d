// yoke/core/files/toml_value.h: values of TOML as the command line would have them.
#pragma once
#include <toml++/toml.h>

#include <optional>
#include <string>

#include "yoke/core/files/recipe.h"

namespace yoke {

/// The entry `key` = `node`, `_` in the key read as `-`; nothing where the node is neither text,
/// number nor boolean.
std::optional<RecipeEntry> recipe_entry(std::string_view key, const toml::node& node);

}  // namespace yoke
