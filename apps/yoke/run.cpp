// apps/yoke/run.cpp: `yoke run` starts ranks, here and on other hosts.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <map>
#include <memory>

#include "apps/yoke/commands.h"
#include "apps/yoke/environment.h"
#include "yoke/launch/detach.h"
#include "yoke/launch/flags.h"
#include "yoke/launch/launch.h"
#include "yoke/launch/network.h"
#include "yoke/launch/run_record.h"
#include "yoke/run/flag_names.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;
using launch::LaunchFlag;

/// What the command line gave, as text.
struct GivenLaunch {
  std::map<std::string, std::string> flags;
  std::vector<std::string> command;
  bool agent = false;  // started by another yoke run
};

launch::RunRecord record_of(const launch::LaunchConfig& config, const launch::LaunchPlan& plan) {
  launch::RunRecord record{.id = plan.id,
                           .command = fmt::format("{}", fmt::join(config.command, " ")),
                           .directory = plan.directory.string(),
                           .log_dir = plan.log_dir.string()};
  for (const auto& host : config.hosts) record.hosts.push_back(host.name);
  if (record.hosts.empty()) record.hosts.push_back(host_name());
  return record;
}

/// What the process that stays with the terminal says; its exit status.
int print_detached(const launch::LaunchPlan& plan, const fs::path& log, int pid) {
  if (pid == 0) {
    fmt::print(stderr, "yoke: the run ended at its start; see {}\n", log.string());
    return 1;
  }
  fmt::print(
      "Run {0} goes on without this terminal (pid {1}).\n  tail -f {2}    what it prints\n"
      "  yoke stop {0}    stop it on all its hosts, after a checkpoint\n",
      plan.id, pid, log.string());
  return 0;
}

int run_command(const GivenLaunch& given) {
  const launch::LaunchContext context{.environment = whole_environment(),
                                      .program = fs::canonical("/proc/self/exe")};
  if (given.agent) return launch::serve_agent(context);
  auto config = launch::resolve_flags(given.flags, context.environment);
  config.command = given.command;
  const auto plan = launch::make_plan(config, context.program);
  launch::Detached detached;
  if (config.detach) {
    const auto log = plan.log_dir / "console.log";
    detached = launch::detach(log);
    if (detached.parent) return print_detached(plan, log, detached.pid);
  }
  const launch::RecordedRun recorded(launch::records_directory(context.environment),
                                     record_of(config, plan));
  if (!recorded.problem().empty()) fmt::print(stderr, "yoke run: {}\n", recorded.problem());
  if (config.detach) launch::tell_ready(detached);
  return launch::launch(config, plan, context);
}

void add_flag(CLI::App& command, const LaunchFlag& flag, GivenLaunch& given) {
  const std::string name = "--" + flag.name;
  std::string help = flag.help;
  for (const auto& alias : flag.aliases) help = fmt::format("{}: {}", alias, help);
  CLI::Option* option = nullptr;
  if (flag.value.empty()) {
    option = command.add_flag_function(
        name, [&given, name = flag.name](std::int64_t) { given.flags[name] = "true"; }, help);
    option->disable_flag_override();  // --detach=off would be on
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
      "run", "Start ranks of a command or program, here or on several hosts");
  command->footer(
      "  yoke run [FLAGS] [--] train ...  ranks of this program: train, evaluate, bench\n"
      "  yoke run [FLAGS] -- PROGRAM ...  ranks of any other\n\n"
      "Flags are torchrun's, with - or _, and more; each is also read from a variable,\n"
      "e.g. PET_NNODES.");
  const auto given = std::make_shared<GivenLaunch>();
  for (const auto& flag : launch::launch_flags()) add_flag(*command, flag, *given);
  command->add_flag(as_flag(launch_flag::kAgent), given->agent)->group("");  // not for people
  command->callback([given, &run, &ranks_command] {
    given->command = ranks_command;
    run = [given] { return run_command(*given); };
  });
}

}  // namespace yoke
