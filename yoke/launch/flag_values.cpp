#include "yoke/launch/flag_values.h"

#include <fmt/format.h>

#include <algorithm>

#include "yoke/core/error.h"
#include "yoke/core/parse_number.h"
#include "yoke/core/plugins/options.h"
#include "yoke/core/split.h"
#include "yoke/run/flag_names.h"

namespace yoke::launch {

int whole(const std::string& text, int least, int most) {
  if (const auto number = parse_number<int>(text, least, most)) return *number;
  if (most == std::numeric_limits<int>::max()) {
    throw UsageError(fmt::format("'{}' is given; allowed: a whole number from {} on", text, least));
  }
  throw UsageError(
      fmt::format("'{}' is given; allowed: a whole number from {} to {}", text, least, most));
}

std::chrono::duration<double> seconds(const std::string& text) {
  const double value = parse_number<double>(text, 0, 1e6).value_or(0);
  if (!(value > 0)) {
    throw UsageError(fmt::format("'{}' is given; allowed: seconds above 0", text));
  }
  return std::chrono::duration<double>(value);
}

NodeRange parse_nodes(const std::string& text) {
  const auto colon = text.find(':');
  NodeRange nodes;
  nodes.least = whole(text.substr(0, colon), 1);
  nodes.most = colon == std::string::npos ? nodes.least : whole(text.substr(colon + 1), 1);
  if (nodes.least > nodes.most) {
    throw UsageError(
        fmt::format("'{}' is given; allowed: N or MIN:MAX with MIN not above MAX", text));
  }
  return nodes;
}

std::vector<int> parse_ranks(const std::string& text) {
  std::vector<int> ranks;
  for (const auto rank : split(text, ',')) ranks.push_back(whole(std::string(rank), 0));
  return ranks;
}

void set_backend(LaunchConfig&, const std::string& text) {
  if (text == "static" || text == "c10d") return;  // the same thing here
  const char* const reason = text.starts_with("etcd")
                                 ? "; hosts meet at the host of --rdzv-endpoint, no etcd is needed"
                                 : "";
  throw UsageError(fmt::format("'{}' is given; allowed: static, c10d{}", text, reason));
}

void set_rendezvous_options(LaunchConfig& config, const std::string& text) {
  Options options(text, as_flag(launch_flag::kRendezvousConf));
  const auto read = [&options](const char* key, std::chrono::duration<double>& value) {
    value = std::chrono::duration<double>(options.get(key, value.count(), 0.1, 1e6));
  };
  read("timeout", config.join_timeout);
  read("join_timeout", config.join_timeout);
  read("last_call_timeout", config.last_call);
  options.finish();
}

void add_hosts(LaunchConfig& config, std::vector<HostSlots> hosts) {
  if (!config.hosts.empty()) throw UsageError("--hosts and --hostfile are given; give one of them");
  config.hosts = std::move(hosts);
}

void set_processes(LaunchConfig& config, const std::string& text) {
  if (text != "auto" && text != "cpu" && text != "gpu") {
    try {
      whole(text, 1);
    } catch (const UsageError&) {
      throw UsageError(
          fmt::format("'{}' is given; allowed: a whole number from 1 on, cpu (one per core), gpu "
                      "(one per GPU), "
                      "auto (gpu where there are some, else cpu)",
                      text));
    }
  }
  config.processes = text;
}

}  // namespace yoke::launch
