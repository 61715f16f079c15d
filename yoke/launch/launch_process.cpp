#include "yoke/launch/launch_process.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "yoke/core/system/threads.h"
#include "yoke/core/version.h"
#include "yoke/launch/agent/process_tree.h"
#include "yoke/launch/flags.h"
#include "yoke/launch/network.h"

namespace yoke::launch {

LaunchProcess::LaunchProcess(bool hangup_is_terminate)
    : signals(loop,
              [this, hangup_is_terminate](int signal) {
                if (signal == SIGHUP && hangup_is_terminate) signal = SIGTERM;
                if (coordinator) {
                  coordinator->rounds().stop(signal, Rounds::Clock::now());
                } else if (agent) {
                  agent->signal(signal);
                }
              }),
      out(loop, STDOUT_FILENO),
      err(loop, STDERR_FILENO) {}

void LaunchProcess::say(const std::string& sentence) {
  err.write(fmt::format("yoke run: {}\n", sentence));
}

Outcome LaunchProcess::run(std::chrono::duration<double> interval,
                           const std::function<void()>& tick) {
  const auto wait = std::chrono::ceil<std::chrono::milliseconds>(interval);
  while (true) {
    if (agent) agent->tick();
    if (coordinator) coordinator->tick();
    if (tick) tick();
    const bool agent_done = !agent || agent->outcome().has_value();
    if (agent_done && (!coordinator || coordinator->finished())) break;
    loop.step(wait);
  }
  return coordinator ? *coordinator->rounds().outcome() : *agent->outcome();
}

AgentOptions agent_options(const LaunchConfig& config, const LaunchPlan& plan,
                           const LaunchContext& context, const Reaper& reaper,
                           const std::string& endpoint) {
  const int processes = count_processes(config.processes);
  const std::string host = host_name();
  AgentOptions options{.endpoint = endpoint, .store_port = config.master_port};
  options.join = {.run = config.rendezvous_id,
                  .version = kVersion,
                  .host = host,
                  .address = {},
                  .node_rank = config.node_rank.value_or(-1),
                  .processes = processes};
  options.ranks = {.setting = {.base = context.environment,
                               .run = config.rendezvous_id,
                               .role = config.role,
                               .processes = processes,
                               .max_restarts = config.max_restarts,
                               .agent_id = reaper.id(),
                               .network_interface = config.network_interface},
                   .command = plan.command,
                   .log_dir = plan.log_dir,
                   .redirects = config.redirects,
                   .tee = config.tee,
                   .local_ranks_filter = config.local_ranks_filter,
                   .host = host};
  // yoke's own commands share out the cores themselves.
  if (!plan.yoke_command) options.ranks.setting.omp_threads = cpu_budget().threads(processes);
  options.resume_command = plan.resume_command;
  options.max_lost = config.max_lost;
  options.join_timeout = config.join_timeout;
  options.heartbeat_timeout = config.heartbeat_timeout;
  adopt_orphans();
  return options;
}

int conclude(LaunchProcess& process, const Outcome& outcome) {
  if (!outcome.report.empty()) {
    const bool block = outcome.report.ends_with('\n');
    if (block) {
      process.err.write(outcome.report);
    } else {
      process.say(outcome.report);
    }
  }
  process.out.flush();
  process.err.flush();
  return outcome.status;
}

}  // namespace yoke::launch
