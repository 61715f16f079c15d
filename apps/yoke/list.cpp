// apps/yoke/list.cpp: `yoke list`, every plug-in with one line of help, and what its options are.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "apps/yoke/commands.h"
#include "apps/yoke/option_tables.h"
#include "yoke/core/error.h"
#include "yoke/core/nearest_name.h"

namespace yoke {
namespace {

struct GivenList {
  std::vector<std::string> names = {"all"};
  bool markdown = false;
};

/// The plug-ins that `name` names: all of a kind, or those of this name.
std::vector<PluginKind> select(const std::string& name) {
  std::vector<PluginKind> selected;
  for (PluginKind& kind : plugin_kinds()) {
    if (name != "all" && name != kind.heading) {
      std::erase_if(kind.plugins, [&](const auto& plugin) { return plugin.name != name; });
    }
    if (!kind.plugins.empty()) selected.push_back(std::move(kind));
  }
  if (!selected.empty()) return selected;
  std::vector<std::string> kinds = {"all"}, names;
  for (const auto& kind : plugin_kinds()) {
    kinds.push_back(kind.heading);
    for (const auto& plugin : kind.plugins) names.push_back(plugin.name);
  }
  names.insert(names.end(), kinds.begin(), kinds.end());
  const std::string nearest = nearest_name(name, names);
  throw UsageError(fmt::format(
      "'{}' is no kind of plug-in and none of their names; {}", name,
      nearest.empty()
          ? fmt::format("allowed: {}, or a name that one of these lists", fmt::join(kinds, ", "))
          : fmt::format("did you mean '{}'?", nearest)));
}

bool names_a_plugin(const std::string& name, const PluginKind& kind) {
  return name != "all" && name != kind.heading;
}

int list(const GivenList& given) {
  for (const auto& name : given.names) {
    for (const auto& kind : select(name)) {
      if (given.markdown) {
        fmt::print("{}", markdown_table(kind));
      } else if (names_a_plugin(name, kind)) {
        fmt::print("{} {}: {}\n{}", kind.kind, name, kind.plugins.front().help,
                   text_table(kind.plugins.front()));
      } else {
        fmt::print("{}", text_list(kind));
      }
    }
  }
  return 0;
}

}  // namespace

void add_list_command(CLI::App& program, Run& run) {
  auto* command = program.add_subcommand(
      "list", "Show what there is to choose from, and the options of each choice");
  const auto given = std::make_shared<GivenList>();
  std::vector<std::string> kinds, names;
  for (const auto& kind : plugin_kinds()) {
    kinds.push_back(kind.heading);
    for (const auto& plugin : kind.plugins) names.push_back(plugin.name);
  }
  command
      ->add_option("NAME", given->names,
                   fmt::format("{}, or a name that one of these lists", fmt::join(kinds, ", ")))
      ->type_name(fmt::format("{}/{}", fmt::join(kinds, "/"), fmt::join(names, "/")))
      ->capture_default_str();
  command->add_flag("--markdown", given->markdown, "Options as a table of the documents");
  command->callback([given, &run] { run = [given] { return list(*given); }; });
}

}  // namespace yoke
