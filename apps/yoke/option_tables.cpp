#include "apps/yoke/option_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "yoke/comm/factory.h"
#include "yoke/data/dataset.h"
#include "yoke/models/model.h"
#include "yoke/optim/optimizer.h"
#include "yoke/optim/schedule.h"
#include "yoke/optim/weight_average.h"
#include "yoke/parallel/compression.h"
#include "yoke/parallel/strategy.h"

namespace yoke {
namespace {

template <typename Plugin>
PluginKind show(const std::string& heading, const Registry<Plugin>& registry) {
  PluginKind kind{.heading = heading, .kind = registry.kind(), .plugins = {}};
  for (const auto& entry : registry.entries()) {
    ListedPlugin plugin{.name = entry.name, .help = entry.help, .options = {}};
    if constexpr (requires { entry.plugin.options(); }) {
      if (entry.available()) plugin.options = entry.plugin.options();
    }
    kind.plugins.push_back(std::move(plugin));
  }
  return kind;
}

/// What `--ema` takes, which is no plug-in: there is one.
PluginKind show_average() {
  return {.heading = "averages",
          .kind = "average",
          .plugins = {{.name = "ema",
                       .help = "a mean of the weights that a run passes through",
                       .options = weight_average_options().specs()}}};
}

using Row = std::array<std::string, 4>;

std::string older_names(const OptionSpec& spec) {
  if (spec.aliases.empty()) return {};
  return fmt::format("; older name: {}", fmt::join(spec.aliases, ", "));
}

std::string row(const OptionSpec& spec) {
  return fmt::format("| `{}` | {} | {} | {}{} |\n", spec.name, spec.fallback, spec.allowed,
                     spec.meaning, older_names(spec));
}

using Specs = std::vector<OptionSpec>;

/// The options that all plug-ins of the kind of `plugin` have.
Specs common_options(const ListedPlugin& plugin) {
  Specs specs = plugin.options.value_or(Specs());
  std::erase_if(specs, [](const auto& spec) { return !spec.common; });
  return specs;
}

/// Its own options, and those in `common` of which it has another default.
Specs own_options(const ListedPlugin& plugin, const Specs& common) {
  Specs specs = plugin.options.value_or(Specs());
  std::erase_if(specs, [&](const auto& spec) {
    return std::any_of(common.begin(), common.end(), [&](const auto& other) {
      return other.name == spec.name && other.fallback == spec.fallback;
    });
  });
  return specs;
}

std::string rows(const Specs& specs) {
  std::string text;
  for (const auto& spec : specs) text += row(spec);
  return text;
}

/// `rows` with `first` in the first column of the first of them.
std::string begin_with(std::string first, const std::string& rows) {
  std::istringstream lines(rows);
  std::string text;
  for (std::string line; std::getline(lines, line); first.clear()) {
    text += fmt::format("| {}{}{}\n", first, first.empty() ? "" : " ", line);
  }
  return text;
}

}  // namespace

std::vector<PluginKind> plugin_kinds() {
  return {show("models", models()),
          show("datasets", datasets()),
          show("optimizers", optimizers()),
          show("schedules", schedules()),
          show_average(),
          show("strategies", strategies()),
          show("compressions", compressions()),
          show("communicators", communicators())};
}

std::string text_list(const PluginKind& kind) {
  std::size_t width = 0;
  for (const auto& plugin : kind.plugins) width = std::max(width, plugin.name.size());
  std::string text = kind.heading + ":\n";
  for (const auto& plugin : kind.plugins) {
    text += fmt::format("  {:<{}}  {}\n", plugin.name, width, plugin.help);
  }
  return text;
}

std::string text_table(const ListedPlugin& plugin) {
  if (!plugin.options) return {};
  if (plugin.options->empty()) return "  no options\n";
  std::vector<Row> table = {{"option", "default", "allowed", "meaning"}};
  for (const auto& spec : *plugin.options) {
    table.push_back({spec.name, spec.fallback, spec.allowed, spec.meaning + older_names(spec)});
  }
  std::array<std::size_t, 3> widths{};
  for (const auto& cells : table) {
    for (std::size_t i = 0; i < widths.size(); ++i)
      widths[i] = std::max(widths[i], cells[i].size());
  }
  std::string text;
  for (const auto& cells : table) {
    text += fmt::format("  {:<{}}  {:<{}}  {:<{}}  {}\n", cells[0], widths[0], cells[1], widths[1],
                        cells[2], widths[2], cells[3]);
  }
  return text;
}

std::string markdown_table(const PluginKind& kind) {
  const auto& plugins = kind.plugins;
  const Specs common = common_options(plugins.front());
  if (plugins.size() == 1) {
    return "| option | default | allowed | meaning |\n| - | - | - | - |\n" +
           rows(own_options(plugins.front(), common));
  }
  std::string text = "| of | option | default | allowed | meaning |\n| - | - | - | - | - |\n" +
                     begin_with("all", rows(common));
  for (auto plugin = plugins.begin(); plugin != plugins.end();) {
    const std::string own = rows(own_options(*plugin, common));
    std::string names;  // of those that have the same
    for (; plugin != plugins.end() && rows(own_options(*plugin, common)) == own; ++plugin) {
      names += fmt::format("{}`{}`", names.empty() ? "" : ", ", plugin->name);
    }
    text += begin_with(names, own);
  }
  return text;
}

}  // namespace yoke
