#include "yoke/study/study_file.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <set>

#include "yoke/core/error.h"
#include "yoke/core/files/file.h"
#include "yoke/core/files/toml_value.h"
#include "yoke/core/nearest_name.h"
#include "yoke/study/emit/cluster_tables.h"
#include "yoke/study/time_span.h"

namespace yoke::study {
namespace {

namespace fs = std::filesystem;

/// Reads tables of one file; its messages name the file and the line.
class Reader {
 public:
  explicit Reader(std::string where) : where_(std::move(where)) {}

  [[noreturn]] void refuse(const toml::node& node, const std::string& text) const {
    throw UsageError(fmt::format("{}:{}: {}", where_, node.source().begin.line, text));
  }

  RecipeEntry value(const std::string& key, const toml::node& node) const {
    const auto entry = recipe_entry(key, node);
    if (!entry) {
      refuse(node, fmt::format("'{}' is neither text, number nor boolean; write the value as on "
                               "the command line of yoke train",
                               key));
    }
    return *entry;
  }

  /// In the order of the file. A single value is an axis of one.
  std::vector<Axis> axes(const toml::table& table) const {
    std::vector<Axis> all;
    for (const auto& [name, node] : table) {
      const std::string key(name.str());
      if (key == "name") continue;
      Axis axis{.key = recipe_entry(key, toml::value(0))->key, .values = {}};
      if (const auto* const array = node.as_array()) {
        for (const auto& each : *array) axis.values.push_back(value(key, each));
      } else {
        axis.values.push_back(value(key, node));
      }
      if (axis.values.empty()) refuse(node, fmt::format("axis '{}' has no value", key));
      all.push_back(std::move(axis));
    }
    std::stable_sort(all.begin(), all.end(), [](const Axis& a, const Axis& b) {
      return a.values.front().line < b.values.front().line;
    });
    return all;
  }

  std::vector<Case> cases(const toml::array& array) const {
    std::vector<Case> all;
    std::set<std::string> names;
    for (const auto& node : array) {
      const auto* const table = node.as_table();
      const auto name = table ? table->at_path("name").value<std::string>() : std::nullopt;
      if (!name) refuse(node, "a case needs a name = \"...\"");
      if (!names.insert(*name).second) {
        refuse(node, fmt::format("there are two cases '{}'; give each its own name", *name));
      }
      all.push_back({.name = *name, .axes = axes(*table)});
    }
    return all;
  }

  HostSet host_set(const toml::node& node) const {
    const auto text = node.value<std::string>();
    if (!text) refuse(node, "hosts are texts, one for each set: hosts = [\"a,b\", \"c,d\"]");
    try {
      return parse_host_set(*text);
    } catch (const UsageError& error) {
      refuse(node, error.what());
    }
  }

  /// The table `[key]`; nothing where there is none.
  const toml::table* table_of(const toml::table& parent, const char* key) const {
    const auto* const node = parent.get(key);
    if (node != nullptr && !node->is_table()) refuse(*node, fmt::format("write it as [{}]", key));
    return node == nullptr ? nullptr : node->as_table();
  }

  const toml::array* cases_of(const toml::table& parent) const {
    const auto* const node = parent.get("cases");
    if (node != nullptr && !node->is_array()) refuse(*node, "write each case as [[cases]]");
    return node == nullptr ? nullptr : node->as_array();
  }

  /// The keys of [study] and [short]; what is not there stays as it was.
  void settings(const toml::table& table, StudyFile& file) const {
    StudyPlan& plan = file.settings;
    plan.repetitions = count(table, "repetitions", plan.repetitions, 1);
    plan.warm_ups = count(table, "warm-up", plan.warm_ups, 0);
    if (const auto* const node = table.get("title")) {
      if (!node->is_string()) refuse(*node, "title is a text: title = \"...\"");
      plan.title = node->as_string()->get();
    }
    if (const auto* const node = table.get("seed")) {
      if (!node->is_integer()) refuse(*node, "seed is a whole number");
      plan.seed = node->as_integer()->get();
    }
    if (const auto* const node = table.get("run-limit")) plan.run_limit = span(*node);
    if (const auto* const node = table.get("limit")) plan.limit = span(*node);
    if (const auto* const node = table.get("recipe")) file.recipe = recipe(*node);
    const auto* const hosts = table.get("hosts");
    if (hosts == nullptr) return;
    if (!hosts->is_array()) refuse(*hosts, "hosts is a list: hosts = [\"a,b\", \"c,d\"]");
    plan.hosts.clear();
    for (const auto& node : *hosts->as_array()) plan.hosts.push_back(host_set(node));
    if (plan.hosts.empty()) plan.hosts = {{}};
  }

  void allow(const toml::table& table, const std::set<std::string>& keys) const {
    for (const auto& [name, node] : table) {
      if (keys.contains(std::string(name.str()))) continue;
      refuse(node, fmt::format("unknown key '{}'; {}", name.str(),
                               suggest(name.str(), {keys.begin(), keys.end()})));
    }
  }

 private:
  int count(const toml::table& table, const char* key, int fallback, int least) const {
    const auto* const node = table.get(key);
    if (node == nullptr) return fallback;
    const auto value = node->value<std::int64_t>();
    if (!value || *value < least || *value > 1000) {
      refuse(*node, fmt::format("{} is a whole number from {} to 1000", key, least));
    }
    return static_cast<int>(*value);
  }

  std::chrono::duration<double> span(const toml::node& node) const {
    const auto text = node.value<std::string>();
    const auto span = text ? parse_time_span(*text) : std::nullopt;
    if (!span) {
      refuse(node, fmt::format("{} is no time; write e.g. \"30min\", \"8h\"",
                               text ? "'" + *text + "'" : "a number without a unit"));
    }
    return *span;
  }

  fs::path recipe(const toml::node& node) const {
    const auto name = node.value<std::string>();
    if (!name) refuse(node, "recipe is a file's name, as seen from this file");
    return fs::path(where_).parent_path() / *name;
  }

  std::string where_;
};

toml::table parse(const fs::path& path) {
  try {
    return toml::parse(read_file(path), path.string());
  } catch (const toml::parse_error& error) {
    throw UsageError(
        fmt::format("{}:{}: {}", path.string(), error.source().begin.line, error.description()));
  } catch (const Error& error) {
    throw UsageError(fmt::format("{}; give a study file that exists", error.what()));
  }
}

/// Later values of a key take the place of earlier ones.
void merge(std::vector<Axis>& axes, const std::vector<Axis>& more) {
  for (const auto& axis : more) {
    const auto found = std::find_if(axes.begin(), axes.end(),
                                    [&](const Axis& other) { return other.key == axis.key; });
    if (found == axes.end()) {
      axes.push_back(axis);
    } else {
      *found = axis;
    }
  }
}

/// [flags], [axes] and [[cases]] of the file or of its [short].
void take_points(const toml::table& table, const Reader& reader, StudyFile& file) {
  if (const auto* const flags = reader.table_of(table, "flags")) {
    for (const auto& [name, node] : *flags) {
      file.flags.push_back(reader.value(std::string(name.str()), node));
    }
  }
  if (const auto* const axes = reader.table_of(table, "axes")) {
    merge(file.axes, reader.axes(*axes));
  }
  if (const auto* const cases = reader.cases_of(table)) {
    file.cases = reader.cases(*cases);
  }
}

}  // namespace

StudyFile read_study_file(const fs::path& path, bool short_form) {
  const toml::table table = parse(path);
  const Reader reader(path.string());
  const std::set<std::string> settings = {"title", "recipe",    "repetitions", "warm-up",
                                          "seed",  "run-limit", "limit",       "hosts"};
  reader.allow(table, {"study", "flags", "axes", "cases", "short", "slurm", "kubernetes"});
  StudyFile file;
  file.settings.title = path.stem().string();
  if (const auto* const study = reader.table_of(table, "study")) {
    reader.allow(*study, settings);
    reader.settings(*study, file);
  }
  if (const auto* const slurm = reader.table_of(table, "slurm")) {
    file.settings.slurm = read_slurm(*slurm, path.string());
  }
  if (const auto* const kubernetes = reader.table_of(table, "kubernetes")) {
    file.settings.kubernetes = read_kubernetes(*kubernetes, path.string());
  }
  take_points(table, reader, file);
  const auto* const shorter = reader.table_of(table, "short");
  if (!short_form) return file;
  if (shorter == nullptr) {
    throw UsageError(
        fmt::format("{} has no [short] tables, so there is no short form of it", path.string()));
  }
  std::set<std::string> allowed = settings;
  allowed.insert({"flags", "axes", "cases"});
  reader.allow(*shorter, allowed);
  reader.settings(*shorter, file);
  take_points(*shorter, reader, file);
  return file;
}

}  // namespace yoke::study
