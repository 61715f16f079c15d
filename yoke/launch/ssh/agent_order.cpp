#include "yoke/launch/ssh/agent_order.h"

#include "yoke/run/flag_names.h"

namespace yoke::launch {

std::map<std::string, std::string> agent_flags(const LaunchConfig& config, int processes) {
  std::map<std::string, std::string> flags;
  for (const char* const name :
       {launch_flag::kProcesses, "max-restarts", "max-lost", "role", launch_flag::kRendezvousId,
        "master-port", "network-interface", "heartbeat-timeout", "redirects", "tee",
        "local-ranks-filter", "monitor-interval"}) {
    const auto given = config.given.find(name);
    if (given != config.given.end()) flags.insert(*given);
  }
  if (processes > 0) flags[launch_flag::kProcesses] = std::to_string(processes);
  return flags;
}

}  // namespace yoke::launch
