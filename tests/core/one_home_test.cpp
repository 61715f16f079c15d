// A name that several folders share, of a file, a flag, a key, an environment variable or a
// plug-in, is spelled in one of them.
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>

#include "tests/core/source_files.h"

namespace yoke {
namespace {

/// `yoke/comm` of `yoke/comm/rendezvous/world.cpp`.
std::string top_folder(const std::string& path) { return path.substr(0, path.find('/', 5)); }

/// Words with a sign between them, which no text for people has by chance: `batch-size`,
/// `--data-dir`, `train_seconds`, `summary.json`, `LOCAL_RANK`; without the dashes of a flag.
std::set<std::string> names_in(const std::string& line) {
  static const std::regex name(R"re("-{0,2}([A-Za-z][A-Za-z0-9]*([-_.][A-Za-z0-9]+)+)")re");
  std::set<std::string> names;
  const std::string code = line.substr(0, line.find("//"));
  if (code.find("#include") != std::string::npos) return names;
  for (std::sregex_iterator match(code.begin(), code.end(), name), end; match != end; ++match) {
    names.insert((*match)[1].str());
  }
  return names;
}

/// Each is not one fact in two places, but two facts, or another program's.
const std::map<std::string, std::string> kTwoFacts = {
    {"compute_seconds", "of a line of metrics.jsonl, and of a forecast of a step"},
    {"console.log", "of what a run tells, and in logs/ of what a detached `yoke run` prints"},
    {"data_wait_seconds", "of a run, and of a calibration"},
    {"memory_bytes", "of a machine, and of a rank in a calibration"},
    {"size_bytes", "of a file of a checkpoint, and of a data set"},
    {"train_images", "of a run, and of a calibration"},
    {"warm-up", "a key of study files, and a word"},
    {"world_size", "of a run, and of a message between hosts"},
};

TEST(Names, AreSpelledInOneFolder) {
  std::map<std::string, std::map<std::string, std::string>> places;  // name, folder, a file
  for (const auto& file : source_files({"yoke", "apps/yoke"})) {
    for (const auto& line : file.lines) {
      for (const auto& name : names_in(line)) places[name][top_folder(file.path)] = file.path;
    }
  }
  for (const auto& [name, folders] : places) {
    if (folders.size() < 2 || kTwoFacts.contains(name)) continue;
    std::string where;
    for (const auto& [folder, file] : folders) where += "\n  " + file;
    ADD_FAILURE() << "\"" << name << "\" is spelled in" << where
                  << "\nmake it a constant where it belongs, which the others include";
  }
  for (const auto& [name, why] : kTwoFacts) {
    EXPECT_GT(places[name].size(), 1U) << name << ": not in two folders any more";
  }
}

}  // namespace
}  // namespace yoke
