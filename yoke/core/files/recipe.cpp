#include "yoke/core/files/recipe.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <sstream>

#include "yoke/core/error.h"
#include "yoke/core/files/file.h"
#include "yoke/core/files/toml_value.h"

namespace yoke {
namespace {

RecipeEntry entry_of(const std::string& where, const toml::key& key, const toml::node& node) {
  if (auto entry = recipe_entry(key.str(), node)) return *entry;
  throw UsageError(
      fmt::format("{}:{}: '{}' is neither text, number nor boolean; write the value as on the "
                  "command line, e.g. optimizer = \"sgd:momentum=0.9\"",
                  where, node.source().begin.line, key.str()));
}

}  // namespace

std::vector<RecipeEntry> read_recipe(const std::filesystem::path& path) {
  std::string text;
  try {
    text = read_file(path);
  } catch (const Error& error) {
    throw UsageError(fmt::format("{}; give a recipe that exists", error.what()));
  }
  std::vector<RecipeEntry> entries;
  try {
    for (const auto& [key, node] : toml::parse(text, path.string())) {
      entries.push_back(entry_of(path.string(), key, node));
    }
  } catch (const toml::parse_error& error) {
    throw UsageError(
        fmt::format("{}:{}: {}", path.string(), error.source().begin.line, error.description()));
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const auto& a, const auto& b) { return a.line < b.line; });
  return entries;
}

std::string recipe_text(const std::vector<RecipeEntry>& entries) {
  std::ostringstream text;
  for (const auto& entry : entries) {
    text << entry.key << " = ";
    if (entry.quoted) {
      text << toml::value<std::string>(entry.value);
    } else {
      text << entry.value;
    }
    text << "\n";
  }
  return text.str();
}

}  // namespace yoke
