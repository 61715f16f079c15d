// yoke/launch/ssh/remote_agents.h: agents on a list of hosts, started over ssh.
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "yoke/core/system/process.h"
#include "yoke/launch/agent/console.h"
#include "yoke/launch/agent/line_pipe.h"
#include "yoke/launch/ssh/agent_order.h"
#include "yoke/launch/ssh/ssh.h"

namespace yoke::launch {

/// A host to start an agent on.
struct RemoteHost {
  std::string name;   ///< As ssh knows it.
  bool here = false;  ///< This host: no ssh is needed.
};

/// How agents are started.
struct RemoteOptions {
  std::vector<RemoteHost> hosts;  ///< By node rank.
  SshOptions ssh;
  Environment environment;          ///< Of this process, for ssh.
  std::filesystem::path program;    ///< yoke, at the same path on each host.
  std::filesystem::path directory;  ///< Where it runs, on each host.
  bool retry = false;               ///< Whether a host that is gone is tried again.
  /// The order of a host. @throws Error when there is no way to it.
  std::function<AgentOrder(int node_rank)> order;
};

/// Keeps one connection per host, whose end the agent there notices. Shows agents' output.
class RemoteAgents {
 public:
  using Clock = std::chrono::steady_clock;
  /// A connection ended, for `reason`; `ran` says whether its agent had started.
  using Gone = std::function<void(int node_rank, bool ran, const std::string& reason)>;

  RemoteAgents(EventLoop& loop, Consoles consoles, RemoteOptions options, Gone gone);
  ~RemoteAgents();
  RemoteAgents(const RemoteAgents&) = delete;
  RemoteAgents& operator=(const RemoteAgents&) = delete;

  /// Starts what is due, and pauses what comes in while consoles are full.
  void tick();
  /// Gives up the connection to a host that was lost.
  void drop(int node_rank);
  /// Starts no more agents, and asks those that run to end.
  void finish();
  /// Whether no connection is left.
  bool ended() const;

 private:
  struct Connection {
    std::unique_ptr<LinePipe> out, err;
    std::optional<Process> process;
    Descriptor input;
    bool ran = false;
    std::vector<std::string> words;  // what was said before the agent started
  };

  void start(int node_rank);
  std::vector<std::string> arguments(const RemoteHost& host) const;
  void connection_ended(int node_rank);
  std::string why_not_started(int node_rank, int exit, const Connection& connection) const;
  std::unique_ptr<Connection>& connection(int node_rank);

  EventLoop& loop_;
  Consoles consoles_;
  RemoteOptions options_;
  Gone gone_;
  std::vector<std::unique_ptr<Connection>> connections_;
  std::vector<Clock::time_point> start_at_;
  bool finishing_ = false;
};

}  // namespace yoke::launch
