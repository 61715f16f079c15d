#include "yoke/study/emit/cluster_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "yoke/core/error.h"
#include "yoke/core/files/toml_value.h"
#include "yoke/core/nearest_name.h"

namespace yoke::study {
namespace {

/// A table of the file; its messages name the file and the line.
class ClusterTable {
 public:
  ClusterTable(const toml::table& table, const std::string& where) : table_(table), where_(where) {}

  void allow(const std::vector<std::string>& keys) const {
    for (const auto& [name, node] : table_) {
      if (std::find(keys.begin(), keys.end(), name.str()) != keys.end()) continue;
      refuse(node, fmt::format("unknown key '{}'; {}", name.str(), suggest(name.str(), keys)));
    }
  }

  std::string text(const char* key) const {
    const auto* const node = table_.get(key);
    if (node == nullptr) return "";
    const auto value = node->value<std::string>().value_or("");
    if (value.empty()) refuse(*node, fmt::format("{} is a text that is not empty", key));
    return value;
  }

  std::vector<std::string> lines(const char* key) const {
    std::vector<std::string> all;
    const auto* const node = table_.get(key);
    if (node == nullptr) return all;
    if (!node->is_array()) refuse(*node, fmt::format("{} is a list of texts: [\"...\"]", key));
    for (const auto& each : *node->as_array()) {
      const auto line = each.value<std::string>();
      if (!line || line->find('\n') != std::string::npos) {
        refuse(each, fmt::format("{} holds texts of one line each", key));
      }
      all.push_back(*line);
    }
    return all;
  }

  std::optional<int> at_once() const {
    const auto* const node = table_.get("at-once");
    if (node == nullptr) return std::nullopt;
    constexpr int kMost = 1000;
    const auto value = node->value<std::int64_t>().value_or(0);
    if (value < 1 || value > kMost) {
      refuse(*node, fmt::format("at-once is a whole number from 1 to {}", kMost));
    }
    return static_cast<int>(value);
  }

  std::map<std::string, std::string> resources() const {
    std::map<std::string, std::string> all;
    const auto* const node = table_.get("resources");
    if (node == nullptr) return all;
    if (!node->is_table()) refuse(*node, "resources is a table: { cpu = 4, memory = \"8Gi\" }");
    for (const auto& [name, amount] : *node->as_table()) {
      const auto entry = recipe_entry(name.str(), amount);
      if (!entry) refuse(amount, fmt::format("{} is a number or a text", name.str()));
      all[std::string(name.str())] = entry->value;
    }
    return all;
  }

  [[noreturn]] void refuse(const toml::node& node, const std::string& text) const {
    throw UsageError(fmt::format("{}:{}: {}", where_, node.source().begin.line, text));
  }

  const toml::node* find(const char* key) const { return table_.get(key); }

 private:
  const toml::table& table_;
  const std::string& where_;
};

}  // namespace

SlurmSettings read_slurm(const toml::table& table, const std::string& where) {
  const ClusterTable reader(table, where);
  reader.allow({"options", "setup", "at-once"});
  SlurmSettings settings{.options = reader.lines("options"),
                         .setup = reader.lines("setup"),
                         .at_once = reader.at_once()};
  for (const auto& option : settings.options) {
    if (option.starts_with('-')) continue;
    reader.refuse(*reader.find("options"),
                  fmt::format("option '{}' does not begin with '-'; write what stands behind "
                              "#SBATCH, e.g. \"--partition=cpu\"",
                              option));
  }
  return settings;
}

KubernetesSettings read_kubernetes(const toml::table& table, const std::string& where) {
  const ClusterTable reader(table, where);
  reader.allow({"image", "claim", "mount", "resources", "at-once"});
  KubernetesSettings settings{.image = reader.text("image"),
                              .claim = reader.text("claim"),
                              .mount = reader.text("mount"),
                              .resources = reader.resources()};
  settings.at_once = reader.at_once().value_or(settings.at_once);
  if (!settings.mount.empty() && (!settings.mount.is_absolute() || settings.mount == "/")) {
    reader.refuse(*reader.find("mount"), "mount is an absolute path below /, here and in pods");
  }
  return settings;
}

}  // namespace yoke::study
