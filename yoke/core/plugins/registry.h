// yoke/core/plugins/registry.h: plug-ins by name. Each folder's .def file lists its plug-ins, one
// line each.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "yoke/core/error.h"
#include "yoke/core/nearest_name.h"
#include "yoke/core/plugins/options.h"

namespace yoke {

/// The name users type for the identifier `id`: `lab_cnn` is `lab-cnn`.
inline std::string plugin_name(std::string_view id) {
  std::string name(id);
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

/// A plug-in under its name.
template <typename Plugin>
struct RegistryEntry {
  std::string name;
  std::string help;  ///< One line.
  Plugin plugin;     ///< Empty where this build lacks it; `help` then says so: "not in this build:
                     ///< configure with ...".

  bool available() const { return static_cast<bool>(plugin); }
};

/// A table of plug-ins of one kind.
template <typename Plugin>
class Registry {
 public:
  using Entry = RegistryEntry<Plugin>;

  /// `kind` is the singular word of messages, e.g. "model".
  Registry(std::string kind, std::vector<Entry> entries)
      : kind_(std::move(kind)), entries_(std::move(entries)) {}

  const std::string& kind() const { return kind_; }
  const std::vector<Entry>& entries() const { return entries_; }

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : entries_) names.push_back(entry.name);
    return names;
  }

  /// Of those that this build has.
  std::vector<std::string> available() const {
    std::vector<std::string> names;
    for (const auto& entry : entries_) {
      if (entry.available()) names.push_back(entry.name);
    }
    return names;
  }

  /// @throws UsageError that lists the names there are.
  const Entry& find(std::string_view name) const {
    for (const auto& entry : entries_) {
      if (entry.name != name) continue;
      if (!entry.available()) {
        throw UsageError(fmt::format("{} '{}' is {}", kind_, name, entry.help));
      }
      return entry;
    }
    throw UsageError(fmt::format("unknown {} '{}'; {}", kind_, name, suggest(name, names())));
  }

  /// The plug-in that `text` (`name:key=value,...`) names, with its options read (Plugin::Chosen).
  /// @throws UsageError on an unknown name or option, or a value that is not allowed.
  auto choose(std::string_view text) const { return choose(Choice::parse(text, kind_)); }
  auto choose(Choice choice) const {
    auto chosen = find(choice.name).plugin.read(choice.options);
    choice.options.finish();
    return chosen;
  }

 private:
  std::string kind_;
  std::vector<Entry> entries_;
};

}  // namespace yoke
