#include "yoke/study/table_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "yoke/core/error.h"
#include "yoke/core/files/toml_value.h"
#include "yoke/core/nearest_name.h"
#include "yoke/study/findings/numbers.h"
#include "yoke/study/time_span.h"

namespace yoke::study {
namespace {

const std::set<std::string> kRangeKeys = {"low", "high", "step", "log"};

bool is_range(const toml::table& table) {
  return std::any_of(table.begin(), table.end(), [](const auto& entry) {
    return kRangeKeys.contains(std::string(entry.first.str()));
  });
}

/// A flag with `-` for `_`, and its option as it is.
std::string axis_key(std::string_view name) {
  const auto dot = std::min(name.find('.'), name.size());
  const auto flag = recipe_entry(name.substr(0, dot), toml::value(0));
  return flag->key + std::string(name.substr(dot));
}

}  // namespace

void TableReader::refuse(const toml::node& node, const std::string& text) const {
  throw UsageError(fmt::format("{}:{}: {}", where_, node.source().begin.line, text));
}

RecipeEntry TableReader::value(const std::string& key, const toml::node& node) const {
  const auto entry = recipe_entry(key, node);
  if (!entry) {
    refuse(node, fmt::format("'{}' is neither text, number nor boolean; write the value as on the "
                             "command line of yoke train",
                             key));
  }
  return *entry;
}

std::vector<Axis> TableReader::axes(const toml::table& table) const {
  std::vector<Axis> all;
  for (const auto& [name, node] : table) {
    if (name.str() != "name") add_axis(axis_key(name.str()), node, all);
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Axis& a, const Axis& b) { return a.line < b.line; });
  return all;
}

/// A table that is no range holds options of the flag: `optimizer.weight_decay`.
void TableReader::add_axis(const std::string& key, const toml::node& node,
                           std::vector<Axis>& all) const {
  Axis axis{.key = key, .line = static_cast<int>(node.source().begin.line)};
  if (const auto* const table = node.as_table()) {
    if (table->empty()) refuse(node, fmt::format("axis '{}' has no value", key));
    if (is_range(*table)) {
      axis.range = range(*table);
    } else if (key.find('.') == std::string::npos) {
      for (const auto& [option, inner] : *table) {
        add_axis(fmt::format("{}.{}", key, option.str()), inner, all);
      }
      return;
    } else {
      refuse(node,
             fmt::format("'{}' is a table; an option of a flag takes values or a range", key));
    }
  } else if (const auto* const array = node.as_array()) {
    for (const auto& each : *array) axis.values.push_back(value(key, each));
    if (axis.values.empty()) refuse(node, fmt::format("axis '{}' has no value", key));
  } else {
    axis.values.push_back(value(key, node));
  }
  for (auto& entry : axis.values) entry.key = key;
  all.push_back(std::move(axis));
}

double TableReader::number(const toml::table& table, const char* key, double fallback) const {
  const auto* const node = table.get(key);
  if (node == nullptr) return fallback;
  if (!node->is_number()) refuse(*node, fmt::format("{} of a range is a number", key));
  return *node->value<double>();
}

ValueRange TableReader::range(const toml::table& table) const {
  allow(table, kRangeKeys);
  const auto* const low = table.get("low");
  const auto* const high = table.get("high");
  if (low == nullptr || high == nullptr) {
    refuse(table, "a range needs both ends: { low = 1e-4, high = 0.1, log = true }");
  }
  const auto* const log = table.get("log");
  if (log != nullptr && !log->is_boolean()) refuse(*log, "log of a range is true or false");
  const auto* const step = table.get("step");
  try {
    return ValueRange({.low = number(table, "low", 0),
                       .high = number(table, "high", 0),
                       .step = number(table, "step", 0),
                       .log = log != nullptr && log->as_boolean()->get(),
                       .whole = low->is_integer() && high->is_integer() &&
                                (step == nullptr || step->is_integer())});
  } catch (const UsageError& error) {
    refuse(table, error.what());
  }
}

std::vector<Case> TableReader::cases(const toml::array& array) const {
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

const toml::table* TableReader::table_of(const toml::table& parent, const char* key) const {
  const auto* const node = parent.get(key);
  if (node != nullptr && !node->is_table()) refuse(*node, fmt::format("write it as [{}]", key));
  return node == nullptr ? nullptr : node->as_table();
}

const toml::array* TableReader::cases_of(const toml::table& parent) const {
  const auto* const node = parent.get("cases");
  if (node != nullptr && !node->is_array()) refuse(*node, "write each case as [[cases]]");
  return node == nullptr ? nullptr : node->as_array();
}

void TableReader::settings(const toml::table& table, StudyFile& file) const {
  StudyPlan& plan = file.settings;
  plan.repetitions = count(table, "repetitions", plan.repetitions, 1);
  plan.warm_ups = count(table, "warm-up", plan.warm_ups, 0);
  if (const auto* const node = table.get("title")) {
    if (!node->is_string()) refuse(*node, "title is a text: title = \"...\"");
    plan.title = node->as_string()->get();
  }
  if (const auto* const node = table.get("seed")) plan.seed = seed(*node);
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

void TableReader::search(const toml::table& table, SearchSettings& search) const {
  allow(table, {"trials", "rungs", "reduction-factor", "metric", "seed"});
  search.trials = count(table, "trials", search.trials, 1);
  search.rungs = count(table, "rungs", search.rungs, 1);
  search.reduction_factor = count(table, "reduction-factor", search.reduction_factor, 2);
  if (const auto* const node = table.get("seed")) search.seed = seed(*node);
  const auto* const metric = table.get("metric");
  if (metric == nullptr) return;
  search.metric = metric->value<std::string>().value_or("");
  std::vector<std::string> names;
  for (const auto& known : kNumbers) names.emplace_back(known.name);
  if (std::find(names.begin(), names.end(), search.metric) == names.end()) {
    refuse(*metric, fmt::format("metric '{}'; {}", search.metric, suggest(search.metric, names)));
  }
}

void TableReader::allow(const toml::table& table, const std::set<std::string>& keys) const {
  for (const auto& [name, node] : table) {
    if (keys.contains(std::string(name.str()))) continue;
    refuse(node, fmt::format("unknown key '{}'; {}", name.str(),
                             suggest(name.str(), {keys.begin(), keys.end()})));
  }
}

HostSet TableReader::host_set(const toml::node& node) const {
  const auto text = node.value<std::string>();
  if (!text) refuse(node, "hosts are texts, one for each set: hosts = [\"a,b\", \"c,d\"]");
  try {
    return parse_host_set(*text);
  } catch (const UsageError& error) {
    refuse(node, error.what());
  }
}

int TableReader::count(const toml::table& table, const char* key, int fallback, int least) const {
  const auto* const node = table.get(key);
  if (node == nullptr) return fallback;
  const auto value = node->value<std::int64_t>();
  if (!value || *value < least || *value > 1000) {
    refuse(*node, fmt::format("{} is a whole number from {} to 1000", key, least));
  }
  return static_cast<int>(*value);
}

std::int64_t TableReader::seed(const toml::node& node) const {
  if (!node.is_integer()) refuse(node, "seed is a whole number");
  return node.as_integer()->get();
}

std::chrono::duration<double> TableReader::span(const toml::node& node) const {
  const auto text = node.value<std::string>();
  const auto span = text ? parse_time_span(*text) : std::nullopt;
  if (!span) {
    refuse(node, fmt::format("{} is no time; write e.g. \"30min\", \"8h\"",
                             text ? "'" + *text + "'" : "a number without a unit"));
  }
  return *span;
}

std::filesystem::path TableReader::recipe(const toml::node& node) const {
  const auto name = node.value<std::string>();
  if (!name) refuse(node, "recipe is a file's name, as seen from this file");
  return std::filesystem::path(where_).parent_path() / *name;
}

}  // namespace yoke::study
