// The documents name only what exists: files that they link to, files of the source tree, flags.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "yoke/core/files/file.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;

struct Line {
  std::string file;  ///< Relative to the source tree.
  int number = 0;    ///< From 1.
  std::string text = {};
  bool fenced = false;  ///< In a block of code.

  std::string where() const { return file + ":" + std::to_string(number); }
};

/// The documents at the top of the source tree and in the folders that have some.
std::vector<fs::path> documents() {
  const fs::path root = YOKE_SOURCE_DIR;
  std::vector<fs::path> found;
  const auto take = [&found](const fs::directory_entry& entry) {
    if (entry.path().extension() == ".md") found.push_back(entry.path());
  };
  for (const auto& entry : fs::directory_iterator(root)) take(entry);
  for (const char* const folder : {"docs", "recipes", "examples"}) {
    if (!fs::exists(root / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) take(entry);
  }
  return found;
}

std::vector<Line> lines_of_documents() {
  std::vector<Line> lines;
  for (const auto& path : documents()) {
    std::istringstream text(read_file(path));
    Line line{.file = fs::relative(path, YOKE_SOURCE_DIR).string()};
    while (std::getline(text, line.text)) {
      ++line.number;
      if (line.text.starts_with("```")) {
        line.fenced = !line.fenced;
      } else {
        lines.push_back(line);
      }
    }
    EXPECT_FALSE(line.fenced) << line.file << " ends in a block of code";
  }
  return lines;
}

/// The first group of each match of `pattern` in `text`.
std::vector<std::string> matches(const std::string& text, const std::regex& pattern) {
  std::vector<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match) {
    found.push_back((*match)[1].str());
  }
  return found;
}

TEST(Documents, LinkToFilesThatExist) {
  const std::regex code("`[^`]*`"), link(R"(\]\(([^)\s]+)\))");
  int checked = 0;
  for (const auto& line : lines_of_documents()) {
    if (line.fenced) continue;
    for (const auto& target : matches(std::regex_replace(line.text, code, ""), link)) {
      const std::string path = target.substr(0, target.find('#'));
      if (path.empty() || target.find("://") != std::string::npos) continue;
      EXPECT_TRUE(fs::exists((fs::path(YOKE_SOURCE_DIR) / line.file).parent_path() / path))
          << line.where() << " links to " << target;
      ++checked;
    }
  }
  EXPECT_GT(checked, 10);
}

TEST(Documents, NameSourceFilesThatExist) {
  // Whole words in backquotes; those with <placeholders> or wildcards do not match.
  const std::regex name(
      R"(`((?:yoke|apps|cmake|docs|scripts|tests)/[A-Za-z0-9_./-]*[A-Za-z0-9_/])`)");
  const std::set<std::string> examples = {"yoke/models/small_cnn.cpp",
                                          "yoke/optim/optimizers/signum.cpp"};
  int checked = 0;
  for (const auto& line : lines_of_documents()) {
    if (line.fenced) continue;
    for (const auto& path : matches(line.text, name)) {
      if (examples.contains(path)) continue;
      EXPECT_TRUE(fs::exists(fs::path(YOKE_SOURCE_DIR) / path))
          << line.where() << " names " << path;
      ++checked;
    }
  }
  EXPECT_GT(checked, 10);
}

/// `Suite.Test` of each test, and `Suite.*`.
std::set<std::string> names_of_tests() {
  const std::regex definition(R"(\bTEST(?:_F|_P)?\((\w+),\s*(\w+)\))");
  std::set<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(YOKE_SOURCE_DIR) / "tests")) {
    if (entry.path().extension() != ".cpp") continue;
    const auto text = read_file(entry.path());
    for (std::sregex_iterator test(text.begin(), text.end(), definition), end; test != end;
         ++test) {
      names.insert((*test)[1].str() + "." + (*test)[2].str());
      names.insert((*test)[1].str() + ".*");
    }
  }
  return names;
}

/// What the documents say is tested.
TEST(Documents, NameTestsThatExist) {
  const auto tests = names_of_tests();
  const std::regex name(R"(`([A-Z]\w+\.(?:[A-Z]\w+|\*))`)");
  std::map<std::string, int> checked;  // by document
  for (const auto& line : lines_of_documents()) {
    if (line.file != "docs/security.md" && line.file != "docs/determinism.md") continue;
    for (const auto& test : matches(line.text, name)) {
      EXPECT_TRUE(tests.contains(test)) << line.where() << " names " << test;
      ++checked[line.file];
    }
  }
  EXPECT_EQ(checked.size(), 2);
  for (const auto& [file, count] : checked) EXPECT_GT(count, 5) << file;
}

/// A table of flags in the source tree, with the names that run/flag_names.h holds for it.
std::string table_of_flags(const char* path) {
  const auto root = fs::path(YOKE_SOURCE_DIR);
  auto source = read_file(root / path);
  const std::regex space(R"(namespace (\w+) \{([^{}]*)\})"),
      constant(R"re((k[A-Za-z]+) = ("[a-z-]+");)re");
  const auto names = read_file(root / "yoke/run/flag_names.h");
  for (std::sregex_iterator group(names.begin(), names.end(), space), end; group != end; ++group) {
    const auto constants = (*group)[2].str();
    for (std::sregex_iterator name(constants.begin(), constants.end(), constant); name != end;
         ++name) {
      const std::regex use("\\b" + (*group)[1].str() + "::" + (*name)[1].str() + "\\b");
      source = std::regex_replace(source, use, (*name)[2].str());
    }
  }
  return source;
}

/// The flags of `yoke train`, from its table's source, for core knows nothing of train.
std::set<std::string> train_flags() {
  const auto source = table_of_flags("yoke/train/config/flag_table.cpp");
  const std::regex entry(
      R"re(\b(?:text|count|number|at_least|seconds|choice|interval|sizes|steps|boolean)\(\s*"([a-z0-9-]+)")re");
  const auto names = matches(source, entry);
  std::set<std::string> flags(names.begin(), names.end());
  flags.insert({"recipe", "help"});
  return flags;
}

/// The flags of `yoke run`, from its table's source.
std::set<std::string> launch_flags() {
  const auto source = table_of_flags("yoke/launch/flags.cpp");
  const auto names = matches(source, std::regex(R"re(\bflag\(\s*"([a-z-]+)")re"));
  return {names.begin(), names.end()};
}

/// The flags of `yoke forecast`, `yoke find-lr`, `yoke bench training` and `yoke export` beside
/// those of others.
std::set<std::string> forecast_flags() {
  std::set<std::string> flags;
  for (const char* const file : {"apps/yoke/forecast_flags.cpp", "apps/yoke/find_lr.cpp",
                                 "apps/yoke/bench_training.cpp", "apps/yoke/export.cpp"}) {
    const auto source = table_of_flags(file);
    const auto names = matches(source, std::regex(R"re(\(\s*"--([a-z-]+)")re"));
    flags.insert(names.begin(), names.end());
  }
  return flags;
}

/// Flags of Yoke's other commands, and of other programs.
std::set<std::string> other_flags() {
  return {
      "json",          "mirror",       "output",     "sheet",     "force",       "format",
      "layers",        "primitives",   "seconds",    "grace",     "now",         "compare-threads",
      "ranks",         "least-kib",    "most-kib",   "title",     "short",       "markdown",
      "live",          "repetitions",  "scoreboard", "emit",      "report-only", "top",
      "jobs",          "csv",          "port",       "image",     "version",  // yoke
      "list",          "tests",        "lint",       "rounds",    "models",      "table",
      "ways",          "share",        "workers",    "torch",     "folders",     "package",
      "minutes",       "policies",     "cores",      "kit",       "link-mbit",   "mbit",
      "strategies",  // scripts
      "preset",        "build",        "prefix",     "parallel",  "target",
      "install",  // cmake
      "logdir",        "gtest_filter", "account",    "partition", "time",        "exclusive",
      "mem",
      "cpus-per-task",               // sbatch
      "namespace",     "selector"};  // kubectl
}

std::vector<std::string> flags_in(const std::string& text) {
  static const std::regex pattern(R"((?:^|[^a-z0-9_-])--([a-z][a-z0-9_-]*))");
  return matches(text, pattern);
}

TEST(Documents, NameFlagsThatExist) {
  const auto train = train_flags(), launch = launch_flags(), predict = forecast_flags(),
             other = other_flags();
  ASSERT_THAT(train, testing::IsSupersetOf({"model", "batch-size", "seed", "resources"}));
  ASSERT_THAT(predict, testing::IsSupersetOf({"cores-per-host", "slow", "graph", "images"}));
  int checked = 0;
  for (const auto& line : lines_of_documents()) {
    for (const auto& flag : flags_in(line.text)) {
      EXPECT_TRUE(train.contains(flag) || launch.contains(flag) || predict.contains(flag) ||
                  other.contains(flag))
          << line.where() << " names --" << flag;
      ++checked;
    }
  }
  EXPECT_GT(checked, 20);
}

TEST(Documents, NameEveryFlagOfRun) {
  const auto text = read_file(fs::path(YOKE_SOURCE_DIR) / "docs/launch.md");
  const auto flags = launch_flags();
  ASSERT_THAT(flags, testing::IsSupersetOf({"nnodes", "hosts", "detach"}));
  for (const auto& flag : flags) {
    EXPECT_NE(text.find("`--" + flag + "`"), std::string::npos)
        << "docs/launch.md lacks --" << flag;
  }
}

TEST(Documents, NameEveryFlagOfPredict) {
  const auto text = read_file(fs::path(YOKE_SOURCE_DIR) / "docs/forecast.md");
  const auto source = table_of_flags("apps/yoke/forecast_flags.cpp");
  for (const auto& flag : matches(source, std::regex(R"re(\(\s*"--([a-z-]+)")re"))) {
    EXPECT_NE(text.find("`--" + flag + "`"), std::string::npos)
        << "docs/forecast.md lacks --" << flag;
  }
}

TEST(Documents, GiveTrainItsOwnFlagsInCommands) {
  const auto train = train_flags();
  const std::regex command(R"(yoke train ([^`#]*))");
  int checked = 0;
  for (const auto& line : lines_of_documents()) {
    for (const auto& arguments : matches(line.text, command)) {
      for (const auto& flag : flags_in(arguments)) {
        EXPECT_TRUE(train.contains(flag)) << line.where() << " gives yoke train --" << flag;
        ++checked;
      }
    }
  }
  EXPECT_GT(checked, 10);
}

}  // namespace
}  // namespace yoke
