// yoke/core/files/recipe.h: flags read from, and written to, a TOML file.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace yoke {

/// One `key = value` of a recipe, the value as the command line would have it.
struct RecipeEntry {
  std::string key;
  std::string value;
  bool quoted = false;  ///< A TOML string, as against a number or a boolean.
  int line = 0;         ///< In the file, from 1.
};

/// The entries of a TOML file in the order of the file; `_` in keys reads as `-`.
/// @throws UsageError when it cannot be read, is not TOML, or holds tables or arrays.
std::vector<RecipeEntry> read_recipe(const std::filesystem::path& path);

/// TOML text that read_recipe() reads back.
std::string recipe_text(const std::vector<RecipeEntry>& entries);

}  // namespace yoke
