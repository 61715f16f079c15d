// yoke/launch/ssh/agent_order.h: what the front of `yoke run --hosts` tells each agent it starts.
#pragma once
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "yoke/launch/config.h"
#include "yoke/launch/plan.h"
#include "yoke/launch/rendezvous/curve_key.h"

namespace yoke::launch {

/// The first line an agent says, so that whatever a login shell prints before it is left out.
inline constexpr const char* kAgentGreeting = "yoke agent";

/// One line of JSON on the agent's standard input. That stays open: its end ends the agent.
struct AgentOrder {
  std::string endpoint;  ///< The coordinator's.
  CurveKey key;          ///< The coordinator's.
  int node_rank = 0;
  std::map<std::string, std::string> flags;  ///< Those of `yoke run` that matter to an agent.
  Environment environment;                   ///< Variables to set.
  std::string name;                          ///< As in LaunchPlan, like all below.
  std::vector<std::string> command;
  std::vector<std::string> resume_command;
  std::string log_dir;
  bool yoke_command = false;
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(AgentOrder, endpoint, key, node_rank, flags, environment, name,
                                   command, resume_command, log_dir, yoke_command)

/// The flags of `config` that an agent with `processes` ranks needs; 0 leaves their number.
std::map<std::string, std::string> agent_flags(const LaunchConfig& config, int processes);

}  // namespace yoke::launch
