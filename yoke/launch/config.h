// yoke/launch/config.h: what a launch was asked for.
#pragma once
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "yoke/core/system/process.h"
#include "yoke/launch/agent/streams.h"
#include "yoke/launch/ssh/hosts.h"

namespace yoke::launch {

/// How many hosts a run may have; elastic when the two differ.
struct NodeRange {
  int least = 1;
  int most = 1;

  bool elastic() const { return least < most; }
};

/// A host name or address, and a port.
struct Endpoint {
  std::string host;
  int port = 0;
};

/// What the flags of `yoke run` say; see docs/launch.md.
struct LaunchConfig {
  std::map<std::string, std::string> given;  ///< Every flag that was given, as text.
  std::optional<NodeRange> nodes;
  std::string processes = "1";  ///< Per host: a number, auto, cpu or gpu.
  std::optional<int> node_rank;
  std::string master_addr;
  std::optional<int> master_port;
  std::optional<Endpoint> rendezvous_endpoint;
  std::string rendezvous_id = "none";
  std::filesystem::path rendezvous_key;  ///< A file; empty: the one of this user.
  std::chrono::duration<double> join_timeout = std::chrono::seconds(300);
  std::chrono::duration<double> last_call = std::chrono::seconds(5);
  std::chrono::duration<double> heartbeat_timeout = std::chrono::seconds(5);
  std::chrono::duration<double> monitor_interval = std::chrono::milliseconds(100);
  bool standalone = false;
  int max_restarts = 0;
  int max_lost = 0;  ///< Ranks that may fail while the others go on.
  std::filesystem::path log_dir;
  StreamChoice redirects, tee;
  std::vector<int> local_ranks_filter;  ///< Empty: all.
  std::string local_addr;
  std::string role = "default";
  std::vector<HostSlots> hosts;
  std::optional<int> ssh_port;
  std::string ssh_identity_file;
  std::string network_interface;
  bool detach = false;
  std::vector<std::string> command;  ///< What each rank runs.
};

}  // namespace yoke::launch
