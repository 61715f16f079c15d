// apps/yoke/list.cpp: `yoke list`, every plug-in with one line of help.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "apps/yoke/commands.h"
#include "yoke/comm/factory.h"
#include "yoke/data/dataset.h"
#include "yoke/models/model.h"
#include "yoke/optim/optimizer.h"
#include "yoke/optim/schedule.h"
#include "yoke/parallel/strategy.h"

namespace yoke {
namespace {

template <typename Make>
void print(const std::string& heading, const Registry<Make>& registry) {
  fmt::print("{}:\n", heading);
  std::size_t width = 0;
  for (const auto& entry : registry.entries()) width = std::max(width, entry.name.size());
  for (const auto& entry : registry.entries()) {
    fmt::print("  {:<{}}  {}\n", entry.name, width, entry.help);
  }
}

int list(const std::string& kind) {
  const bool all = kind == "all";
  if (all || kind == "models") print("models", models());
  if (all || kind == "datasets") print("datasets", datasets());
  if (all || kind == "optimizers") print("optimizers", optimizers());
  if (all || kind == "schedules") print("schedules", schedules());
  if (all || kind == "strategies") print("strategies", strategies());
  if (all || kind == "communicators") print("communicators", communicators());
  return 0;
}

}  // namespace

void add_list_command(CLI::App& program, Run& run) {
  auto* command = program.add_subcommand("list", "Show what there is to choose from");
  const auto kind = std::make_shared<std::string>("all");
  command->add_option("kind", *kind, "What to list")
      ->check(CLI::IsMember(
          {"all", "models", "datasets", "optimizers", "schedules", "strategies", "communicators"}))
      ->capture_default_str();
  command->callback([kind, &run] { run = [kind] { return list(*kind); }; });
}

}  // namespace yoke
