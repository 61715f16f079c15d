// apps/yoke/man.cpp: `yoke man`, the manual pages of the program.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "apps/yoke/command_tree.h"
#include "apps/yoke/commands.h"
#include "apps/yoke/man_pages.h"
#include "yoke/core/error.h"
#include "yoke/core/files/file.h"
#include "yoke/core/nearest_name.h"

namespace yoke {
namespace {

struct GivenPage {
  std::string command;
  std::filesystem::path out;
};

int write_pages(const CLI::App& program, const GivenPage& given) {
  const auto pages = man_pages(program);
  if (!given.out.empty()) {
    make_folder(given.out);
    for (const auto& page : pages) write_file(given.out / page.name, page.text);
    return 0;
  }
  const std::string name =
      given.command.empty() ? "yoke.1" : fmt::format("yoke-{}.1", given.command);
  for (const auto& page : pages) {
    if (page.name != name) continue;
    fmt::print("{}", page.text);
    return 0;
  }
  std::vector<std::string> commands;
  for (const auto* command : commands_of(program)) commands.push_back(command->get_name());
  throw UsageError(
      fmt::format("there is no command '{}'; {}", given.command, suggest(given.command, commands)));
}

}  // namespace

void add_man_command(CLI::App& program, Run& run) {
  auto* const command = program.add_subcommand("man", "Write manual pages");
  command->footer("  yoke man train | man -l -    read the page of yoke train");
  const auto given = std::make_shared<GivenPage>();
  auto* const page = command->add_option("COMMAND", given->command,
                                         "Page to print; without it that of the program");
  command->add_option("-o,--out", given->out, "Folder to write all pages into")
      ->type_name("DIR")
      ->excludes(page);
  command->callback([given, &program, &run] {
    run = [given, &program] { return write_pages(program, *given); };
  });
}

}  // namespace yoke
