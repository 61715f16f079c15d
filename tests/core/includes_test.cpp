// What the folders may include of each other, and what every source file must look like.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "yoke/core/file.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;

/// A folder of yoke/ and the folders it may include besides itself; a new folder gets a line here
/// and in docs/architecture.md.
const std::map<std::string, std::set<std::string>> kMayInclude = {
    {"core", {}},
    {"data", {"core"}},
    {"models", {"core"}},
    {"engine", {"core", "models"}},
    {"optim", {"core"}},
    {"comm", {"core"}},
    {"parallel", {"core", "comm", "engine", "optim"}},
    {"report", {"core"}},
    {"predict", {"core"}},
    {"study", {"core", "report"}},
    {"launch", {"core"}},
    {"train", {"core", "data", "models", "engine", "optim", "comm", "parallel", "report"}},
};

struct SourceFile {
  std::string path;  ///< Relative to the source tree.
  std::vector<std::string> lines;
};

/// Every file below the folders, none of them with tests.
std::vector<SourceFile> source_files(const std::vector<std::string>& folders) {
  const fs::path root = YOKE_SOURCE_DIR;
  std::vector<SourceFile> files;
  for (const auto& folder : folders) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      if (!entry.is_regular_file()) continue;
      SourceFile file{.path = fs::relative(entry.path(), root).string(), .lines = {}};
      std::istringstream text(read_file(entry.path()));
      for (std::string line; std::getline(text, line);) file.lines.push_back(line);
      files.push_back(std::move(file));
    }
  }
  return files;
}

/// What a line includes: `yoke/core/file.h`, `torch/types.h`, or nothing.
std::string included(const std::string& line) {
  static const std::regex pattern(R"(^\s*#\s*include\s*["<]([^">]+)[">])");
  std::smatch match;
  return std::regex_search(line, match, pattern) ? match[1].str() : std::string();
}

std::string folder_of(const std::string& path) {  // yoke/<folder>/...
  const auto begin = path.find('/') + 1;
  const auto end = path.find('/', begin);
  return end == std::string::npos ? std::string() : path.substr(begin, end - begin);
}

TEST(Includes, FollowTheFoldersWhenInTheLibrary) {
  for (const auto& file : source_files({"yoke"})) {
    const std::string folder = folder_of(file.path);
    if (folder.empty()) continue;  // yoke/yoke.h is for users and includes everything.
    const auto rule = kMayInclude.find(folder);
    ASSERT_NE(rule, kMayInclude.end()) << file.path << ": no rule says what yoke/" << folder
                                       << " may include; add it to kMayInclude in " << __FILE__;
    for (const auto& line : file.lines) {
      const std::string header = included(line);
      EXPECT_FALSE(header.starts_with("apps/") || header.starts_with("tests/") ||
                   header == "yoke/yoke.h")
          << file.path << " includes " << header;
      if (!header.starts_with("yoke/")) continue;
      const std::string used = folder_of(header);
      EXPECT_TRUE(used == folder || rule->second.contains(used))
          << file.path << " includes " << header << ", but " << folder << " may not include "
          << used;
    }
  }
}

TEST(Includes, NameFilesThatExist) {
  for (const auto& file : source_files({"yoke", "apps"})) {
    for (const auto& line : file.lines) {
      const std::string header = included(line);
      if (!header.starts_with("yoke/") || header.ends_with(".pb.h")) continue;
      EXPECT_TRUE(fs::exists(fs::path(YOKE_SOURCE_DIR) / header))
          << file.path << " includes " << header;
    }
  }
}

TEST(Includes, AreNarrowWhenOfTorch) {
  for (const auto& file : source_files({"yoke", "apps"})) {
    for (const auto& line : file.lines) {
      EXPECT_NE(included(line), "torch/torch.h")
          << file.path << ": costs five seconds a file; include what is used, torch/types.h first";
    }
  }
}

TEST(Includes, AreWithoutTorchWhenOfPredict) {
  for (const auto& file : source_files({"yoke/predict"})) {
    for (const auto& line : file.lines) {
      const std::string header = included(line);
      EXPECT_FALSE(header.starts_with("torch/") || header.starts_with("ATen/"))
          << file.path << " includes " << header << "; docs/architecture.md says that it does not";
    }
  }
}

TEST(Sources, AreShort) {
  constexpr std::size_t kMostLines = 300;
  for (const auto& file : source_files({"yoke", "apps"})) {
    EXPECT_LE(file.lines.size(), kMostLines) << file.path << ": one concept per file";
  }
}

TEST(Sources, AreUnderSixtyLinesInExamples) {
  int checked = 0;
  for (const auto& file : source_files({"examples"})) {
    if (!file.path.ends_with(".cpp")) continue;
    EXPECT_LT(file.lines.size(), 60U) << file.path << ": README.md says so";
    ++checked;
  }
  EXPECT_GE(checked, 2);
}

TEST(Sources, AreNamedInSnakeCase) {
  const std::regex name(R"([a-z][a-z0-9]*(_[a-z0-9]+)*\.(cpp|h|def|proto))");
  for (const auto& file : source_files({"yoke", "apps"})) {
    EXPECT_TRUE(std::regex_match(fs::path(file.path).filename().string(), name)) << file.path;
  }
}

TEST(Sources, BeginWithTheirPathWhenHeaders) {
  for (const auto& file : source_files({"yoke", "apps"})) {
    if (!file.path.ends_with(".h")) continue;
    ASSERT_FALSE(file.lines.empty()) << file.path;
    EXPECT_TRUE(file.lines.front().starts_with("// " + file.path + ": ")) << file.path;
  }
}

}  // namespace
}  // namespace yoke
