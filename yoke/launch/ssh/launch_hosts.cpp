// yoke/launch/ssh/launch_hosts.cpp: `yoke run --hosts`: the front, which coordinates, and its
// agents.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "yoke/core/error.h"
#include "yoke/core/version.h"
#include "yoke/launch/flags.h"
#include "yoke/launch/launch_process.h"
#include "yoke/launch/network.h"
#include "yoke/launch/ssh/agent_order.h"
#include "yoke/launch/ssh/remote_agents.h"

namespace yoke::launch {
namespace {

/// One launch over ssh.
class Front {
 public:
  Front(const LaunchConfig& config, const LaunchPlan& plan, const LaunchContext& context)
      : config_(config),
        plan_(plan),
        context_(context),
        key_(new_curve_key()),
        session_(plan.yoke_command) {
    for (const auto& host : config.hosts) {
      const bool here = is_this_host(host.name);
      const auto address = here ? host.name : ssh_host_name(host.name, context.environment);
      addresses_.push_back(address);
      hosts_.push_back({.name = host.name, .here = here || is_this_host(address)});
    }
    all_here_ = std::all_of(hosts_.begin(), hosts_.end(), [](const auto& h) { return h.here; });
    coordinate();
    remote_ = std::make_unique<RemoteAgents>(
        session_.loop, Consoles{session_.out, session_.err}, remote_options(),
        [this](int rank, bool ran, const std::string& reason) { gone(rank, ran, reason); });
  }

  int run() {
    const Outcome outcome = session_.run(config_.monitor_interval, [this] {
      // A connection that was cut may hang for minutes.
      for (const int rank : std::exchange(to_drop_, {})) remote_->drop(rank);
      remote_->tick();
    });
    remote_->finish();
    const auto last = RemoteAgents::Clock::now() + config_.heartbeat_timeout;
    while (!remote_->ended() && RemoteAgents::Clock::now() < last) {
      session_.loop.step(std::chrono::milliseconds(50));
    }
    remote_.reset();
    return conclude(session_, outcome);
  }

 private:
  void coordinate() {
    RoundsOptions options{.run = config_.rendezvous_id,
                          .name = plan_.name,
                          .nodes = plan_.nodes,
                          .max_restarts = config_.max_restarts,
                          .max_lost = config_.max_lost,
                          .first_attempt = plan_.first_attempt,
                          .master_addr = config_.master_addr,
                          .hosts = {},
                          .join_timeout = config_.join_timeout,
                          .last_call = config_.last_call,
                          .heartbeat_timeout = config_.heartbeat_timeout};
    for (const auto& host : hosts_) options.hosts.push_back(host.name);
    session_.coordinator = std::make_unique<Coordinator>(
        session_.loop, session_.context, options,
        [this](const std::string& sentence) { session_.say(sentence); },
        [this](int rank) {
          lost_.insert(rank);
          to_drop_.insert(rank);
        });
  }

  RemoteOptions remote_options() {
    return {.hosts = hosts_,
            .ssh = {.port = config_.ssh_port, .identity_file = config_.ssh_identity_file},
            .environment = context_.environment,
            .program = context_.program,
            .directory = std::filesystem::current_path(),
            .retry = plan_.nodes.elastic() || config_.max_restarts > 0,
            .order = [this](int rank) { return order(rank); }};
  }

  AgentOrder order(int node_rank) {
    const auto index = static_cast<std::size_t>(node_rank);
    const std::string address = front_address(index);
    return {.endpoint = tcp({.host = address, .port = port_at(address)}),
            .key = key_,
            .node_rank = node_rank,
            .flags = agent_flags(config_, config_.hosts[index].processes),
            .environment = forwarded(context_.environment),
            .name = plan_.name,
            .command = plan_.command,
            .resume_command = plan_.resume_command,
            .log_dir = plan_.log_dir.string(),
            .yoke_command = plan_.yoke_command};
  }

  /// Where the coordinator listens for agents that find it at `address`: there alone, unless
  /// something else has the address and hands on what comes.
  int port_at(const std::string& address) {
    const auto known = ports_.find(address);
    if (known != ports_.end()) return known->second;
    std::string here = address;
    if (!is_loopback(address)) {
      const auto own = own_addresses(address);
      here = own.empty() ? "*" : own.front();
    }
    return ports_[address] = session_.coordinator->listen(tcp({.host = here, .port = 0}), key_);
  }

  /// By which address the agent of a host finds this front.
  std::string front_address(std::size_t index) const {
    std::string address = config_.local_addr;
    if (address.empty() && !config_.network_interface.empty()) {
      address = interface_address(config_.network_interface);
    }
    if (address.empty() && all_here_) return "127.0.0.1";
    if (address.empty()) {
      address = hosts_[index].here ? address_towards_others() : address_towards(addresses_[index]);
    }
    if (!all_here_ && is_loopback(address)) {
      throw UsageError(fmt::format(
          "host {} cannot reach this host at {}, which every host has for itself; give another "
          "address by --local-addr, or an interface by --network-interface",
          hosts_[index].name, address));
    }
    return address;
  }

  /// The agent here takes the way that others come by, for its ranks are to be found there.
  std::string address_towards_others() const {
    std::string problem;
    for (std::size_t other = 0; other < hosts_.size(); ++other) {
      if (hosts_[other].here) continue;
      try {
        return address_towards(addresses_[other]);
      } catch (const Error& error) {
        problem = error.what();
      }
    }
    throw Error(problem);
  }

  void gone(int rank, bool ran, const std::string& reason) {
    Rounds& rounds = session_.coordinator->rounds();
    if (rounds.outcome()) return;
    const auto& name = hosts_[static_cast<std::size_t>(rank)].name;
    if (ran) return rounds.lose(rank, reason, Rounds::Clock::now());
    if (!plan_.nodes.elastic() && !lost_.contains(rank)) {
      return rounds.fail(fmt::format("cannot start an agent on host {}: {}", name, reason));
    }
    if (said_.insert(reason).second) {
      session_.say(fmt::format("host {} is not there yet: {}", name, reason));
    }
    rounds.cannot_reach(rank, reason);
  }

  const LaunchConfig& config_;
  const LaunchPlan& plan_;
  const LaunchContext& context_;
  CurveKey key_;
  LaunchProcess session_;
  std::vector<RemoteHost> hosts_;
  std::vector<std::string> addresses_;
  bool all_here_ = false;
  std::map<std::string, int> ports_;  // where the coordinator listens, by address
  std::set<int> lost_;                // node ranks that were there once
  std::set<int> to_drop_;             // those just lost
  std::set<std::string> said_;        // what was said of hosts that are not there
  std::unique_ptr<RemoteAgents> remote_;
};

/// A line from descriptor 0, which is left open.
std::string read_line() {
  std::string line;
  for (char c = 0; ::read(STDIN_FILENO, &c, 1) == 1 && c != '\n';) line += c;
  return line;
}

}  // namespace

int launch_on_hosts(const LaunchConfig& config, const LaunchPlan& plan,
                    const LaunchContext& context) {
  return Front(config, plan, context).run();
}

int serve_agent(const LaunchContext& context) {
  AgentOrder order;
  try {
    nlohmann::json::parse(read_line()).get_to(order);
  } catch (const nlohmann::json::exception&) {
    throw UsageError("--agent is for yoke run itself, which gives it an order; use --hosts");
  }
  LaunchConfig config = resolve_flags(order.flags, {});
  config.node_rank = order.node_rank;
  LaunchPlan plan{.id = {}, .name = order.name};
  plan.command = order.command;
  plan.resume_command = order.resume_command;
  plan.log_dir = order.log_dir;
  plan.yoke_command = order.yoke_command;
  LaunchContext own = context;
  for (const auto& [name, value] : order.environment) own.environment[name] = value;

  const Reaper reaper;
  LaunchProcess process(plan.yoke_command);
  process.out.write(fmt::format("{}\n", kAgentGreeting));
  auto options = agent_options(config, plan, own, reaper, order.endpoint);
  options.key = order.key;
  options.rejoin = false;  // the front starts another agent
  const auto host = order.endpoint.substr(std::string_view("tcp://").size());
  options.join.address = config.network_interface.empty()
                             ? address_towards(parse_endpoint(host, 0).host)
                             : interface_address(config.network_interface);
  process.agent = std::make_unique<Agent>(process.loop, process.context,
                                          Consoles{process.out, process.err}, std::move(options));
  process.loop.watch(STDIN_FILENO, [&process] {
    char ignored = 0;
    if (::read(STDIN_FILENO, &ignored, 1) > 0) return;
    process.loop.forget(STDIN_FILENO);
    process.agent->abandon("the connection to yoke run has ended");
  });
  Outcome outcome = process.run(config.monitor_interval);
  outcome.report.clear();  // the front says it
  return conclude(process, outcome);
}

}  // namespace yoke::launch
