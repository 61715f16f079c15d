// yoke/study/table_reader.h: reads tables of a study file; messages name the file and the line.
#pragma once
#include <toml++/toml.h>

#include <set>
#include <string>
#include <vector>

#include "yoke/study/study_file.h"

namespace yoke::study {

/// Of one file. All throw UsageError on what no study has.
class TableReader {
 public:
  explicit TableReader(std::string where) : where_(std::move(where)) {}

  [[noreturn]] void refuse(const toml::node& node, const std::string& text) const;

  RecipeEntry value(const std::string& key, const toml::node& node) const;
  /// In the order of the file. A single value is an axis of one.
  std::vector<Axis> axes(const toml::table& table) const;
  std::vector<Case> cases(const toml::array& array) const;

  /// The table `[key]`; nothing where there is none.
  const toml::table* table_of(const toml::table& parent, const char* key) const;
  /// [[cases]]; nothing where there are none.
  const toml::array* cases_of(const toml::table& parent) const;

  /// [study] and [short]; what is not there stays as it was.
  void settings(const toml::table& table, StudyFile& file) const;
  /// [search], likewise.
  void search(const toml::table& table, SearchSettings& search) const;

  /// @throws UsageError on a key that is none of `keys`.
  void allow(const toml::table& table, const std::set<std::string>& keys) const;

 private:
  void add_axis(const std::string& key, const toml::node& node, std::vector<Axis>& all) const;
  ValueRange range(const toml::table& table) const;
  double number(const toml::table& table, const char* key, double fallback) const;
  HostSet host_set(const toml::node& node) const;
  int count(const toml::table& table, const char* key, int fallback, int least) const;
  std::int64_t seed(const toml::node& node) const;
  std::chrono::duration<double> span(const toml::node& node) const;
  std::filesystem::path recipe(const toml::node& node) const;

  std::string where_;
};

}  // namespace yoke::study
