#include "yoke/data/locate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "yoke/core/error.h"
#include "yoke/data/download/catalog.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;

struct Place {
  std::size_t layout = 0;
  fs::path folder;
};

struct Contents {
  std::vector<fs::path> found;
  std::vector<std::string> missing;  // each by its usual name
};

// Folders that name the data set come before those that do not, which may hold another one's files.
std::vector<Place> places(std::string_view name, std::span<const DatasetLayout> layouts,
                          const fs::path& data_dir) {
  const fs::path named = data_dir / name;
  std::vector<Place> all;
  for (const fs::path& parent : {named, data_dir}) {
    for (std::size_t i = 0; i < layouts.size(); ++i) {
      all.push_back({.layout = i, .folder = parent / layouts[i].folder});
    }
  }
  for (const fs::path& folder : {named, data_dir}) {
    for (std::size_t i = 0; i < layouts.size(); ++i) all.push_back({.layout = i, .folder = folder});
  }
  return all;
}

Contents look(const DatasetLayout& layout, const fs::path& folder) {
  Contents contents;
  std::error_code ignored;
  for (const auto& names : layout.files) {
    const auto name = std::find_if(names.begin(), names.end(), [&](const std::string& candidate) {
      return fs::is_regular_file(folder / candidate, ignored);
    });
    if (name == names.end()) {
      contents.missing.push_back(names.front());
    } else {
      contents.found.push_back(folder / *name);
    }
  }
  return contents;
}

std::string advice(std::string_view name, const fs::path& data_dir) {
  const std::string command = fetch_command(name, data_dir);
  if (command.empty()) return "give the folder that holds them as --data-dir";
  return fmt::format("get them with `{}`, or give the folder that holds them as --data-dir",
                     command);
}

}  // namespace

LocatedFiles locate(std::string_view name, std::span<const DatasetLayout> layouts,
                    const fs::path& data_dir) {
  std::optional<std::string> incomplete;
  std::vector<std::string> folders;
  for (const auto& [layout, folder] : places(name, layouts, data_dir)) {
    Contents contents = look(layouts[layout], folder);
    if (contents.missing.empty()) return {.layout = layout, .paths = std::move(contents.found)};
    if (!contents.found.empty() && !incomplete) {
      incomplete = fmt::format("data set '{}' in {} lacks {}", name, folder.string(),
                               fmt::join(contents.missing, ", "));
    }
    if (std::find(folders.begin(), folders.end(), folder.string()) == folders.end()) {
      folders.push_back(folder.string());
    }
  }
  if (incomplete) throw Error(*incomplete);
  throw UsageError(fmt::format("no files of data set '{}' in any of {}; {}", name,
                               fmt::join(folders, ", "), advice(name, data_dir)));
}

std::string fetch_command(std::string_view name, const fs::path& data_dir) {
  if (find_remote_dataset(name) == nullptr) return "";
  return fmt::format("yoke data fetch {} --data-dir {}", name, data_dir.string());
}

}  // namespace yoke
