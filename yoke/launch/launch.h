// yoke/launch/launch.h: `yoke run`: starts the ranks of a run, here and on other hosts, and waits.
#pragma once
#include <filesystem>
#include <string>

#include "yoke/launch/config.h"
#include "yoke/launch/plan.h"

namespace yoke::launch {

/// What the library takes from the process it runs in.
struct LaunchContext {
  Environment environment;
  std::filesystem::path program;  ///< This program, absolute; agents and yoke commands run it.
};

/// Runs the launch that `config` asks for, to its end. Output of ranks goes to this process's
/// standard output and error, reports to its standard error.
/// @return the exit status: 0, 1, 2, 75, or 128 + the signal that stopped it.
int launch(const LaunchConfig& config, const LaunchPlan& plan, const LaunchContext& context);

/// The part of launch() that starts agents on the hosts of a list.
int launch_on_hosts(const LaunchConfig& config, const LaunchPlan& plan,
                    const LaunchContext& context);

/// An agent that launch_on_hosts() started: takes its order from standard input.
int serve_agent(const LaunchContext& context);

}  // namespace yoke::launch
