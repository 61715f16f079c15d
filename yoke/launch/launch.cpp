#include "yoke/launch/launch.h"

#include <fmt/format.h>

#include "yoke/core/error.h"
#include "yoke/launch/launch_process.h"
#include "yoke/launch/network.h"

namespace yoke::launch {
namespace {

/// Where the hosts of a launch by hand meet.
Endpoint meeting_point(const LaunchConfig& config) {
  if (config.rendezvous_endpoint) return *config.rendezvous_endpoint;
  return {.host = config.master_addr.empty() ? "127.0.0.1" : config.master_addr,
          .port = kRendezvousPort};
}

RoundsOptions rounds_options(const LaunchConfig& config, const LaunchPlan& plan) {
  return {.run = config.rendezvous_id,
          .name = plan.name,
          .nodes = plan.nodes,
          .max_restarts = config.max_restarts,
          .max_lost = config.max_lost,
          .first_attempt = plan.first_attempt,
          .master_addr = config.master_addr,
          .hosts = {},
          .join_timeout = config.join_timeout,
          .last_call = config.last_call,
          .heartbeat_timeout = config.heartbeat_timeout};
}

/// The address by which others reach this host.
std::string own_address(const LaunchConfig& config, const std::string& towards) {
  if (!config.local_addr.empty()) return config.local_addr;
  if (!config.network_interface.empty()) return interface_address(config.network_interface);
  return address_towards(towards);
}

void coordinate(LaunchProcess& process, const RoundsOptions& options, const std::string& endpoint) {
  process.coordinator = std::make_unique<Coordinator>(
      process.loop, process.context, endpoint, options,
      [&process](const std::string& sentence) { process.say(sentence); }, [](int) {});
}

/// Whether this host coordinates: the one that is told so, or the first at the meeting point.
bool try_to_coordinate(LaunchProcess& process, const LaunchConfig& config, const LaunchPlan& plan) {
  const Endpoint meeting = meeting_point(config);
  if (config.node_rank.value_or(0) > 0) return false;
  if (!config.node_rank && !is_this_host(meeting.host)) return false;
  auto options = rounds_options(config, plan);
  if (options.master_addr.empty()) options.master_addr = meeting.host;
  // Only what is literally this host's alone is bound to: names may mean 127.0.1.1 to themselves.
  const std::string host = is_loopback(meeting.host) ? meeting.host : "*";
  try {
    coordinate(process, options, tcp({.host = host, .port = meeting.port}));
  } catch (const PortTaken&) {
    if (config.node_rank) throw;
    return false;  // another agent of this host has come first
  }
  return true;
}

int launch_here(LaunchProcess& process, const Reaper& reaper, const LaunchConfig& config,
                const LaunchPlan& plan, const LaunchContext& context) {
  const Endpoint meeting = meeting_point(config);
  const bool alone = plan.nodes.most == 1;
  bool coordinates = alone;
  if (alone) {
    coordinate(process, rounds_options(config, plan), /*endpoint=*/"");
  } else {
    coordinates = try_to_coordinate(process, config, plan);
  }
  auto options =
      agent_options(config, plan, context, reaper, coordinates ? kInsideEndpoint : tcp(meeting));
  options.join.address = own_address(config, alone ? "127.0.0.1" : meeting.host);
  process.agent = std::make_unique<Agent>(process.loop, process.context,
                                          Consoles{process.out, process.err}, std::move(options));
  return conclude(process, process.run(config.monitor_interval));
}

}  // namespace

int launch(const LaunchConfig& config, const LaunchPlan& plan, const LaunchContext& context) {
  if (!config.hosts.empty()) return launch_on_hosts(config, plan, context);
  const Reaper reaper;
  LaunchProcess process(plan.yoke_command);
  return launch_here(process, reaper, config, plan, context);
}

}  // namespace yoke::launch
