// yoke/launch/agent/agent.h: starts, watches and ends the ranks of one host, as the coordinator
// says.
#pragma once
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <zmq.hpp>

#include "yoke/launch/agent/ranks.h"
#include "yoke/launch/event_loop.h"
#include "yoke/launch/rendezvous/curve_key.h"
#include "yoke/launch/rendezvous/message.h"
#include "yoke/launch/rendezvous/rounds.h"

namespace yoke::launch {

/// What an agent needs to know.
struct AgentOptions {
  std::string endpoint;              ///< The coordinator's, as ZeroMQ writes it.
  std::optional<CurveKey> key = {};  ///< The coordinator's, unless it is in this process.
  Join join = {};  ///< Without the port of the store, which is chosen for each attempt.
  RankOptions ranks = {};
  std::vector<std::string> resume_command = {};  ///< What later attempts run.
  std::optional<int> store_port = {};            ///< --master-port.
  int max_lost = 0;                              ///< Ranks that may fail while the others go on.
  bool rejoin = true;  ///< Whether it waits for a coordinator that it lost, or ends.
  std::chrono::duration<double> join_timeout = std::chrono::seconds(300);
  std::chrono::duration<double> heartbeat_timeout = std::chrono::seconds(5);
};

/// One per host. Ends its ranks when it loses the coordinator.
class Agent {
 public:
  using Clock = std::chrono::steady_clock;

  Agent(EventLoop& loop, zmq::context_t& context, Consoles consoles, AgentOptions options);
  ~Agent();
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;

  /// To be called several times a second.
  void tick();
  /// A user sent this process `signal`.
  void signal(int number);
  /// Ends the ranks at once, then itself: whoever started this agent is gone.
  void abandon(const std::string& reason);
  /// Set once the run is over for this host and its ranks are gone.
  const std::optional<Outcome>& outcome() const { return outcome_; }

 private:
  void connect();
  void receive();
  void handle(const Message& message);
  void send(const Message& message);
  void ask_to_join(Clock::time_point now);
  void start(const Start& start);
  void watch_ranks();
  void lose_coordinator();
  void end(int status, std::string report);
  StorePort store_port() const;

  EventLoop& loop_;
  zmq::context_t& context_;
  Consoles consoles_;
  AgentOptions options_;
  std::string name_;  // unique among agents
  zmq::socket_t socket_;
  bool member_ = false, stale_ = false;
  int told_failed_ = 0, signals_ = 0;
  Clock::time_point heard_, ticked_, joining_since_, ask_at_, beat_at_;
  std::unique_ptr<Ranks> ranks_;
  std::optional<Outcome> ending_, outcome_;
};

}  // namespace yoke::launch
