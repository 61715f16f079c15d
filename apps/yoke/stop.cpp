// apps/yoke/stop.cpp: `yoke stop` ends a run that `yoke run` started.
#include "yoke/launch/stop.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "apps/yoke/commands.h"
#include "apps/yoke/environment.h"
#include "apps/yoke/number_flag.h"

namespace yoke {
namespace {

struct StopFlags {
  std::string run;
  bool now = false;
  double grace_seconds = 300;
};

int stop(const StopFlags& flags) {
  const auto records = launch::running_records(launch::records_directory(whole_environment()));
  const auto run = launch::find_run(records, flags.run);
  const auto how =
      launch::stop_run(run, flags.now, std::chrono::duration<double>(flags.grace_seconds));
  const auto hosts = fmt::format("{}", fmt::join(run.hosts, ", "));
  switch (how) {
    case launch::Stopped::kByItself:
      fmt::print("Run {} has ended on {}.\n", run.id, hosts);
      return 0;
    case launch::Stopped::kAtOnce:
      fmt::print("Run {} was ended at once on {}.\n", run.id, hosts);
      return 0;
    case launch::Stopped::kKilled:
      fmt::print(stderr,
                 "yoke: run {} did not answer and was killed here; its ranks on {} end when their "
                 "hosts notice, within seconds\n",
                 run.id, hosts);
      return 1;
  }
  return 1;
}

}  // namespace

void add_stop_command(CLI::App& program, Run& run) {
  auto* const command = program.add_subcommand(
      "stop", "Stop a run of 'yoke run' on all its hosts, after a checkpoint");
  const auto flags = std::make_shared<StopFlags>();
  command
      ->add_option("RUN", flags->run,
                   "Id or run directory of the run; not needed where only one is going on")
      ->type_name("DIR");
  command->add_flag("--now", flags->now, "End it at once, without a checkpoint");
  command
      ->add_option("--grace", flags->grace_seconds,
                   "Seconds that ranks have for a last checkpoint before they are killed")
      ->type_name("SECONDS")
      ->check(from_zero())
      ->capture_default_str();
  command->callback([flags, &run] { run = [flags] { return stop(*flags); }; });
}

}  // namespace yoke
