#include "yoke/launch/ssh/agent_order.h"

namespace yoke::launch {

std::map<std::string, std::string> agent_flags(const LaunchConfig& config, int processes) {
  std::map<std::string, std::string> flags;
  for (const char* const name : {"nproc-per-node", "max-restarts", "max-lost", "role", "rdzv-id",
                                 "master-port", "network-interface", "heartbeat-timeout",
                                 "redirects", "tee", "local-ranks-filter", "monitor-interval"}) {
    const auto given = config.given.find(name);
    if (given != config.given.end()) flags.insert(*given);
  }
  if (processes > 0) flags["nproc-per-node"] = std::to_string(processes);
  return flags;
}

}  // namespace yoke::launch
