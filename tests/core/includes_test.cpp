// What the folders may include of each other, and what every source file must look like.
#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/core/source_files.h"
#include "yoke/core/files/file.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;

using Folders = std::map<std::string, std::set<std::string>>;

/// Each folder of yoke/ with those that it may include besides itself: what yoke_library() USES in
/// CMakeLists.txt.
Folders may_include() {
  const std::string text = read_file(fs::path(YOKE_SOURCE_DIR) / "CMakeLists.txt");
  const std::regex call(R"(\nyoke_library\(([^)]*)\))");
  Folders folders;
  for (std::sregex_iterator match(text.begin(), text.end(), call), end; match != end; ++match) {
    std::istringstream words((*match)[1].str());
    std::string name, word;
    words >> name;
    bool used = false;
    for (folders[name]; words >> word;) {
      const bool keyword = std::isupper(static_cast<unsigned char>(word.front())) != 0;
      if (keyword) used = word == "USES";
      if (used && !keyword) folders[name].insert(word);
    }
  }
  return folders;
}

/// What a line includes: `yoke/core/files/file.h`, `torch/types.h`, or nothing.
std::string included(const std::string& line) {
  static const std::regex pattern(R"(^\s*#\s*include\s*["<]([^">]+)[">])");
  std::smatch match;
  return std::regex_search(line, match, pattern) ? match[1].str() : std::string();
}

/// All parts of `text` that match.
std::vector<std::string> all_matches(const std::string& text, const std::regex& pattern) {
  std::vector<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match) {
    found.push_back(match->str());
  }
  return found;
}

std::string folder_of(const std::string& path) {  // yoke/<folder>/...
  const auto begin = path.find('/') + 1;
  const auto end = path.find('/', begin);
  return end == std::string::npos ? std::string() : path.substr(begin, end - begin);
}

TEST(Includes, FollowTheFoldersWhenInTheLibrary) {
  const Folders may = may_include();
  ASSERT_TRUE(may.contains("core"));
  for (const auto& file : source_files({"yoke"})) {
    const std::string folder = folder_of(file.path);
    if (folder.empty()) continue;  // yoke/yoke.h is for users and includes everything.
    const auto rule = may.find(folder);
    ASSERT_NE(rule, may.end()) << file.path << ": CMakeLists.txt has no yoke_library(" << folder
                               << " USES ...), which says what it may include";
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

TEST(Includes, AreToldInTheArchitecture) {
  const Folders may = may_include();
  Folders said;
  std::istringstream text(read_file(fs::path(YOKE_SOURCE_DIR) / "docs/architecture.md"));
  const std::regex row(R"(\| ((?:`[a-z]+`(?:, )?)+) \| ([a-z, ]+)[^|]*\|.*)"), word("[a-z]+");
  std::smatch cells;
  std::string line;
  while (std::getline(text, line) && line != "| folder | may include |") {
  }
  while (std::getline(text, line) && line.starts_with("|")) {
    if (!std::regex_match(line, cells, row)) continue;
    for (const std::string& folder : all_matches(cells[1].str(), word)) {
      if (!may.contains(folder)) continue;
      for (const std::string& used : all_matches(cells[2].str(), word)) {
        said[folder];
        if (may.contains(used)) said[folder].insert(used);
      }
    }
  }
  EXPECT_EQ(said, may) << "the table in docs/architecture.md, and USES in CMakeLists.txt";
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
  for (const auto& file : source_files({"yoke/forecast"})) {
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
