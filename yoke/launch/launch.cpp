#include "yoke/launch/launch.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "yoke/core/error.h"
#include "yoke/launch/home.h"
#include "yoke/launch/launch_process.h"
#include "yoke/launch/network.h"
#include "yoke/run/flag_names.h"

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

void coordinate(LaunchProcess& process, const RoundsOptions& options) {
  process.coordinator = std::make_unique<Coordinator>(
      process.loop, process.context, options,
      [&process](const std::string& sentence) { process.say(sentence); }, [](int) {});
}

/// The addresses at which this host listens, by which others may know `meeting`.
std::vector<std::string> listening_addresses(const LaunchConfig& config,
                                             const std::string& meeting) {
  if (is_loopback(meeting)) return {meeting};
  if (!config.network_interface.empty()) return {interface_address(config.network_interface)};
  auto own = own_addresses(config.local_addr.empty() ? meeting : config.local_addr);
  // A host may know its own name as 127.0.1.1 alone, or be reached by what hands on to it.
  if (own.empty()) own.emplace_back("*");
  return own;
}

/// Whether this host coordinates: the one that is told so, or the first at the meeting point.
bool try_to_coordinate(LaunchProcess& process, const LaunchConfig& config, const LaunchPlan& plan,
                       const CurveKey& key) {
  const Endpoint meeting = meeting_point(config);
  if (config.node_rank.value_or(0) > 0) return false;
  if (!config.node_rank && !is_this_host(meeting.host)) return false;
  auto options = rounds_options(config, plan);
  if (options.master_addr.empty()) options.master_addr = meeting.host;
  coordinate(process, options);
  try {
    for (const auto& address : listening_addresses(config, meeting.host)) {
      process.coordinator->listen(tcp({.host = address, .port = meeting.port}), key);
    }
  } catch (const PortTaken&) {
    process.coordinator.reset();
    if (config.node_rank) throw;
    return false;  // another agent of this host has come first
  }
  return true;
}

/// The key of this user's runs that are started by hand.
CurveKey key_by_hand(LaunchProcess& process, const LaunchConfig& config,
                     const LaunchContext& context) {
  auto file = config.rendezvous_key;
  if (file.empty())
    file = home_folder(context.environment) / ".config" / "yoke" / launch_flag::kRendezvousKey;
  return kept_curve_key(file, [&] {
    process.say(
        fmt::format("made {}, by which hosts know each other; copy it to each host that has "
                    "another disk, or give {}",
                    file.string(), as_flag(launch_flag::kRendezvousKey)));
  });
}

int launch_here(LaunchProcess& process, const Reaper& reaper, const LaunchConfig& config,
                const LaunchPlan& plan, const LaunchContext& context) {
  const Endpoint meeting = meeting_point(config);
  const bool alone = plan.nodes.most == 1;
  bool coordinates = alone;
  std::optional<CurveKey> key;
  if (alone) {
    coordinate(process, rounds_options(config, plan));
  } else {
    key = key_by_hand(process, config, context);
    coordinates = try_to_coordinate(process, config, plan, *key);
  }
  auto options =
      agent_options(config, plan, context, reaper, coordinates ? kInsideEndpoint : tcp(meeting));
  if (!coordinates) options.key = key;
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
