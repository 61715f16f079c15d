// yoke/launch/rendezvous/coordinator.h: the rules of rounds, reachable over ZeroMQ.
#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <zmq.hpp>

#include "yoke/core/error.h"
#include "yoke/launch/event_loop.h"
#include "yoke/launch/rendezvous/curve.h"
#include "yoke/launch/rendezvous/rounds.h"

namespace yoke::launch {

/// The port to listen on is taken.
class PortTaken : public Error {
 public:
  using Error::Error;
};

/// Where the agent in the coordinator's own process connects.
inline constexpr const char* kInsideEndpoint = "inproc://coordinator";

/// Carries messages between agents and `Rounds`, and sends heartbeats.
class Coordinator {
 public:
  /// Is heard at kInsideEndpoint alone.
  Coordinator(EventLoop& loop, zmq::context_t& context, const RoundsOptions& options,
              std::function<void(const std::string&)> say, std::function<void(int node_rank)> lost);
  ~Coordinator();
  Coordinator(const Coordinator&) = delete;
  Coordinator& operator=(const Coordinator&) = delete;

  /// Listens also at tcp://ADDRESS:PORT, where the port may be *, to agents that have `key`; the
  /// port. @throws PortTaken.
  int listen(const std::string& endpoint, const CurveKey& key);
  Rounds& rounds() { return rounds_; }
  void tick();
  /// Whether the run is over and every agent has said goodbye, or is not going to.
  bool finished() const;

 private:
  void receive();
  void send(const std::string& agent, const Message& message);

  EventLoop& loop_;
  zmq::context_t& context_;
  zmq::socket_t socket_;
  std::optional<CurveGuard> guard_;  // where it listens
  std::chrono::duration<double> heartbeat_timeout_;
  Rounds rounds_;
  Rounds::Time beat_at_;
  std::optional<Rounds::Time> over_since_;
};

}  // namespace yoke::launch
