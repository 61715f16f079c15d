#include "yoke/launch/flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "yoke/core/error.h"
#include "yoke/launch/flag_values.h"
#include "yoke/launch/network.h"
#include "yoke/run/flag_names.h"

namespace yoke::launch {
namespace {

using Set = std::function<void(LaunchConfig&, const std::string&)>;

constexpr int kMostPort = 65535;

std::vector<LaunchFlag> make_flags() {
  std::vector<LaunchFlag> flags;
  std::string group;
  const auto flag = [&](std::string name, std::vector<std::string> aliases, std::string value,
                        std::string fallback, std::string help, Set set) {
    flags.push_back({std::move(name), std::move(aliases), std::move(value), std::move(fallback),
                     std::move(help), group, std::move(set)});
  };
  const auto accepted = [](LaunchConfig&, const std::string&) {};
  using Config = LaunchConfig&;
  using Text = const std::string&;

  group = "Ranks";
  flag(launch_flag::kNodes, {"-n"}, "N or MIN:MAX", "1",
       "Hosts; MIN:MAX goes on when one is lost or comes",
       [](Config c, Text t) { c.nodes = parse_nodes(t); });
  flag(launch_flag::kProcesses, {"-np"}, "N", "1", "Ranks on each host; also auto, cpu or gpu",
       set_processes);
  flag("max-restarts", {}, "K", "0", "Times that all ranks start again after a failure",
       [](Config c, Text t) { c.max_restarts = whole(t, 0); });
  flag("max-lost", {}, "K", "0",
       "Ranks that may fail while the others go on, where the strategy can",
       [](Config c, Text t) { c.max_lost = whole(t, 0); });
  flag("role", {}, "NAME", "default", "Word before the local rank in console lines",
       [](Config c, Text t) { c.role = t; });

  group = "Hosts over ssh, started from here";
  flag(launch_flag::kHosts, {"-H"}, "A,B:2", "",
       "Hosts, each with its number of ranks or as -np says",
       [](Config c, Text t) { add_hosts(c, parse_hosts(t)); });
  flag("hostfile", {}, "FILE", "", "The same, a line each: host, host:2 or host slots=2",
       [](Config c, Text t) { add_hosts(c, read_hostfile(t)); });
  flag(launch_flag::kSshPort, {}, "PORT", "", "Port of the ssh servers; default: ssh's own",
       [](Config c, Text t) { c.ssh_port = whole(t, 1, kMostPort); });
  flag(launch_flag::kSshIdentityFile, {}, "FILE", "", "Private key; default: ssh's own",
       [](Config c, Text t) { c.ssh_identity_file = t; });

  group = "Hosts by hand: yoke run is started on each";
  flag(launch_flag::kNodeRank, {"-nr"}, "R", "", "This host's number; host 0 coordinates",
       [](Config c, Text t) { c.node_rank = whole(t, 0); });
  flag("master-addr", {}, "HOST", "127.0.0.1", "Where ranks find rank 0, and hosts find host 0",
       [](Config c, Text t) { c.master_addr = t; });
  flag("master-port", {}, "PORT", "a free one", "Port of rank 0's store",
       [](Config c, Text t) { c.master_port = whole(t, 1, kMostPort); });
  flag(launch_flag::kRendezvousEndpoint, {}, "HOST:PORT", "MASTER_ADDR:29400",
       "Where hosts meet; without --node-rank, the host that has this address coordinates",
       [](Config c, Text t) { c.rendezvous_endpoint = parse_endpoint(t, kRendezvousPort); });
  flag(launch_flag::kRendezvousId, {}, "NAME", "none",
       "Name of the run; hosts that give another are refused",
       [](Config c, Text t) { c.rendezvous_id = t; });
  flag(
      launch_flag::kRendezvousKey, {}, "FILE", "~/.config/yoke/rdzv-key",
      "Secret of 64 hexadecimal digits, by which hosts know each other; made where it is not there",
      [](Config c, Text t) { c.rendezvous_key = t; });
  flag("rdzv-backend", {}, "static/c10d", "static", "Both mean the same here", set_backend);
  flag(launch_flag::kRendezvousConf, {}, "K=V,...", "",
       "timeout or join_timeout=300: seconds to wait for hosts; last_call_timeout=5: for more of "
       "them than MIN",
       set_rendezvous_options);
  flag("standalone", {}, "", "", "One host; the other flags of this group are left aside",
       [](Config c, Text) { c.standalone = true; });

  group = "Network";
  flag("network-interface", {}, "NAME", "", "Interface for ranks and agents, e.g. eth1",
       [](Config c, Text t) { c.network_interface = t; });
  flag(launch_flag::kLocalAddr, {}, "HOST", "", "Address by which other hosts reach this one",
       [](Config c, Text t) { c.local_addr = t; });
  flag("heartbeat-timeout", {}, "SECONDS", "5",
       "Silence after which a host counts as lost; more for links that stall",
       [](Config c, Text t) { c.heartbeat_timeout = seconds(t); });

  group = "Output";
  flag(launch_flag::kLogDir, {}, "DIR", "train's OUT/logs, else runs/logs/<id>",
       "Output of each rank, in attempt-A/rank-R/{stdout,stderr}.log",
       [](Config c, Text t) { c.log_dir = t; });
  flag("redirects", {"-r"}, "N", "0",
       "Streams that only go to the logs: 0 none, 1 stdout, 2 stderr, 3 both; or 0:1,1:3 by local "
       "rank",
       [](Config c, Text t) { c.redirects = parse_streams(t); });
  flag("tee", {"-t"}, "N", "0", "Streams that are shown in spite of --redirects, in its form",
       [](Config c, Text t) { c.tee = parse_streams(t); });
  flag("local-ranks-filter", {}, "R,...", "all", "Local ranks whose output is shown",
       [](Config c, Text t) { c.local_ranks_filter = parse_ranks(t); });
  flag("detach", {}, "", "", "Run on without this terminal; stop with yoke stop",
       [](Config c, Text) { c.detach = true; });
  flag("monitor-interval", {}, "SECONDS", "0.1", "Between looks at logs and time-outs",
       [](Config c, Text t) { c.monitor_interval = seconds(t); });

  group = "Accepted as torchrun has them, without effect";
  flag("no-python", {}, "", "", "Programs are always run as they are", accepted);
  flag("start-method", {}, "NAME", "", "Processes are always forked and executed", accepted);
  return flags;
}

/// `--nproc_per_node` is `--nproc-per-node`.
std::string canonical(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

const LaunchFlag* find_flag(const std::string& word) {
  for (const auto& flag : launch_flags()) {
    if (word.starts_with("--") && canonical(word.substr(2)) == flag.name) return &flag;
    if (std::find(flag.aliases.begin(), flag.aliases.end(), word) != flag.aliases.end()) {
      return &flag;
    }
  }
  return nullptr;
}

/// Where the name ends in `word`, a flag with its value attached, as in `--nnodes=2`, `-np4` or
/// `-t3`; 0 where it is none.
std::size_t attached_name(const std::string& word) {
  if (word.starts_with("--")) {
    const auto equals = word.find('=');
    return equals == std::string::npos ? 0 : equals;
  }
  std::size_t longest = 0;
  for (const auto& flag : launch_flags()) {
    for (const auto& alias : flag.aliases) {
      if (word.starts_with(alias)) longest = std::max(longest, alias.size());
    }
  }
  return longest;
}

void check(const LaunchConfig& config) {
  if (config.hosts.empty()) {
    const int most = config.nodes.value_or(NodeRange()).most;
    if (config.node_rank.value_or(0) >= most) {
      throw UsageError(fmt::format("--node-rank {} is given; allowed: 0 to {}, for --nnodes {}",
                                   *config.node_rank, most - 1, most));
    }
    if (most > 1 && !config.standalone && !config.node_rank && !config.rendezvous_endpoint) {
      throw UsageError(
          "--nnodes is more than 1, but nothing says which host this is: give --node-rank R and "
          "--master-addr HOST on each host, or --rdzv-endpoint HOST:PORT, or --hosts A,B to start "
          "all of them from here");
    }
    return;
  }
  if (config.standalone || config.node_rank || config.rendezvous_endpoint) {
    throw UsageError(
        "--hosts starts every host from here; --standalone, --node-rank and --rdzv-endpoint are "
        "for hosts that are started by hand");
  }
  const int count = static_cast<int>(config.hosts.size());
  if (config.nodes && config.nodes->most > count) {
    throw UsageError(fmt::format("--nnodes {} is given, but there are {} hosts in the list",
                                 config.given.at(launch_flag::kNodes), count));
  }
}

}  // namespace

std::string LaunchFlag::variable() const {
  std::string text = "PET_" + name;
  std::replace(text.begin(), text.end(), '-', '_');
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return std::toupper(c); });
  return text;
}

const std::vector<LaunchFlag>& launch_flags() {
  static const std::vector<LaunchFlag> flags = make_flags();
  return flags;
}

LaunchWords split_words(const std::vector<std::string>& words) {
  LaunchWords result;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const bool ends = word == "--";
    if (ends || !word.starts_with('-')) {
      result.command.assign(words.begin() + static_cast<long>(i) + (ends ? 1 : 0), words.end());
      break;
    }
    const LaunchFlag* flag = find_flag(word);
    const std::size_t name_end = flag == nullptr ? attached_name(word) : 0;
    if (name_end > 0) flag = find_flag(word.substr(0, name_end));
    if (flag == nullptr) {
      result.flags.push_back(word);
    } else if (name_end > 0) {
      const auto value = name_end + (word[name_end] == '=' ? 1 : 0);
      result.flags.push_back(fmt::format("--{}={}", flag->name, word.substr(value)));
    } else if (!flag->value.empty() && i + 1 < words.size()) {
      result.flags.push_back(fmt::format("--{}={}", flag->name, words[++i]));
    } else {
      result.flags.push_back("--" + flag->name);
    }
  }
  return result;
}

LaunchConfig resolve_flags(const std::map<std::string, std::string>& given,
                           const Environment& environment) {
  LaunchConfig config;
  for (const auto& flag : launch_flags()) {
    std::string text, from = "--" + flag.name;
    if (const auto found = given.find(flag.name); found != given.end()) {
      text = found->second;
    } else if (const auto variable = environment.find(flag.variable());
               variable != environment.end()) {
      from = flag.variable();
      text = variable->second;
      if (flag.value.empty() && (text == "0" || text.empty())) continue;  // a switch that is off
    } else {
      continue;
    }
    try {
      flag.set(config, text);
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("{}: {}", from, error.what()));
    }
    config.given[flag.name] = text;
  }
  check(config);
  return config;
}

}  // namespace yoke::launch
