// tests/core/source_files.h: the source tree, for tests of what its files look like.
#pragma once
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "yoke/core/files/file.h"

namespace yoke {

struct SourceFile {
  std::string path;  ///< Relative to the source tree.
  std::vector<std::string> lines;
};

/// Every file below the folders, none of them with tests.
inline std::vector<SourceFile> source_files(const std::vector<std::string>& folders) {
  const std::filesystem::path root = YOKE_SOURCE_DIR;
  std::vector<SourceFile> files;
  for (const auto& folder : folders) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      if (!entry.is_regular_file()) continue;
      SourceFile file{.path = std::filesystem::relative(entry.path(), root).string(), .lines = {}};
      std::istringstream text(read_file(entry.path()));
      for (std::string line; std::getline(text, line);) file.lines.push_back(line);
      files.push_back(std::move(file));
    }
  }
  return files;
}

}  // namespace yoke
