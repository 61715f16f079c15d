// apps/yoke/option_tables.h: what plug-ins say of themselves, as tables.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "yoke/core/plugins/option_table.h"

namespace yoke {

/// A plug-in, to be shown.
struct ListedPlugin {
  std::string name;
  std::string help;
  /// Nothing where they are not known: this build lacks the plug-in, or it reads them by itself.
  std::optional<std::vector<OptionSpec>> options;
};

/// All plug-ins of a kind.
struct PluginKind {
  std::string heading;  ///< As users type it: "datasets".
  std::string kind;     ///< The singular word of messages: "data set".
  std::vector<ListedPlugin> plugins;
};

/// Every registry, in the order of `yoke list`.
std::vector<PluginKind> plugin_kinds();

/// Names with their lines of help.
std::string text_list(const PluginKind& kind);

/// The options of a plug-in, indented.
std::string text_table(const ListedPlugin& plugin);

/// The options of the plug-ins of a kind, those that all of them have first. Of one plug-in, its
/// own.
std::string markdown_table(const PluginKind& kind);

}  // namespace yoke
