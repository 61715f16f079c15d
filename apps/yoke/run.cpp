// apps/yoke/run.cpp: `yoke run` starts ranks, here and on other hosts.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <memory>

#include "apps/yoke/commands.h"
#include "apps/yoke/environment.h"
#include "yoke/core/error.h"
#include "yoke/launch/flags.h"
#include "yoke/launch/launch.h"

namespace yoke {
namespace {

using launch::LaunchFlag;

/// What the command line gave, as text.
struct GivenLaunch {
  std::map<std::string, std::string> flags;
  std::vector<std::string> command;
};

int run_command(const GivenLaunch& given) {
  const launch::LaunchContext context{.environment = whole_environment(),
                                      .program = std::filesystem::canonical("/proc/self/exe")};
  auto config = launch::resolve_flags(given.flags, context.environment);
  config.command = given.command;
  return launch::launch(config, launch::make_plan(config, context.program), context);
}

void add_flag(CLI::App& command, const LaunchFlag& flag, GivenLaunch& given) {
  const std::string name = "--" + flag.name;
  std::string help = flag.help;
  for (const auto& alias : flag.aliases) help = fmt::format("{}: {}", alias, help);
  CLI::Option* option = nullptr;
  if (flag.value.empty()) {
    option = command.add_flag_function(
        name, [&given, name = flag.name](std::int64_t) { given.flags[name] = "true"; }, help);
  } else {
    option = command.add_option_function<std::string>(
        name, [&given, name = flag.name](const std::string& text) { given.flags[name] = text; },
        help);
    option->type_name(flag.value);
    if (!flag.fallback.empty()) option->default_str(flag.fallback);
  }
  option->group(flag.group);
}

}  // namespace

std::vector<std::string> take_command(std::vector<std::string> words,
                                      std::vector<std::string>& command) {
  if (words.empty() || words.front() != "run") return words;
  auto split = launch::split_words({words.begin() + 1, words.end()});
  command = std::move(split.command);
  split.flags.insert(split.flags.begin(), "run");
  return std::move(split.flags);
}

void add_run_command(CLI::App& program, Run& run, const std::vector<std::string>& ranks_command) {
  auto* const command = program.add_subcommand(
      "run",
      "Start ranks of a command or program, here or on several hosts\n\n"
      "  yoke run [flags] [--] train ...      ranks of this program: train, evaluate, bench\n"
      "  yoke run [flags] -- PROGRAM ...      ranks of any other\n\n"
      "Flags are torchrun's, with - or _, and more; each is also read from a variable, e.g. "
      "PET_NNODES.");
  const auto given = std::make_shared<GivenLaunch>();
  for (const auto& flag : launch::launch_flags()) add_flag(*command, flag, *given);
  command->callback([given, &run, &ranks_command] {
    given->command = ranks_command;
    run = [given] { return run_command(*given); };
  });
}

}  // namespace yoke
