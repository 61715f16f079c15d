// yoke/launch/rendezvous/message.h: what agents and the coordinator tell each other, as JSON.
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "yoke/launch/agent/failure.h"

namespace yoke::launch {

/// A port of an agent's host for the store of rank 0, or why there is none.
struct StorePort {
  int port = 0;
  std::string problem;
};

/// Agent: I am here and ready. Repeated until it is answered.
struct Join {
  std::string run;
  std::string version;
  std::string host;
  std::string address;  ///< By which other hosts reach this one.
  int node_rank = -1;   ///< -1: the coordinator chooses.
  int processes = 1;
  StorePort store = {};
};

/// Agent: ranks of mine failed, and if those are too many for a run I am ending the others.
struct Failed {
  int attempt = 0;
  int ranks = 1;  ///< So far.
};

/// Agent: all my ranks of this attempt have ended, and I am ready for the next.
struct Ended {
  int attempt = 0;
  std::vector<int> exits;  ///< By local rank.
  std::vector<Failure> failures;
  double now = 0;  ///< By the agent's clock, which may differ from others'.
  StorePort store = {};
};

/// Agent: I am leaving for good.
struct Leave {};

/// Both: I am alive.
struct Beat {
  bool running = false;  ///< Agent: I have ranks.
};

/// Coordinator: you are a member.
struct Welcome {};

/// Coordinator: you cannot take part.
struct Refuse {
  std::string reason;
};

/// Coordinator: I had given you up; end your ranks and join again.
struct Unknown {};

/// Coordinator: start your ranks.
struct Start {
  int attempt = 0;      ///< Of this run, counted over all of its starts.
  int restarts = 0;     ///< After failures.
  bool resume = false;  ///< An attempt came before this one.
  int group_rank = 0;
  int first_rank = 0;
  int world_size = 1;
  std::string master_addr;
  int master_port = 0;
};

/// Coordinator: end your ranks with `signal`, and after a while with SIGKILL.
struct Stop {
  int signal = 0;
  double grace_seconds = 0;
};

/// Agent: a user sent me this signal. Coordinator: pass it to your ranks.
struct Signal {
  int number = 0;
};

/// Coordinator: the run is over; exit.
struct Finish {
  int status = 0;
  std::string report;
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StorePort, port, problem)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Join, run, version, host, address, node_rank, processes, store)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Failed, attempt, ranks)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Ended, attempt, exits, failures, now, store)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Beat, running)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Refuse, reason)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Start, attempt, restarts, resume, group_rank, first_rank,
                                   world_size, master_addr, master_port)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Stop, signal, grace_seconds)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Signal, number)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Finish, status, report)

using Message = std::variant<Join, Failed, Ended, Leave, Beat, Welcome, Refuse, Unknown, Start,
                             Stop, Signal, Finish>;

/// A longer one is a stranger's.
inline constexpr std::int64_t kMostMessageBytes = 4 << 20;

/// `{"type": "start", ...}`.
std::string encode(const Message& message);

/// @throws Error when `text` is no message, or has a number that is out of its range.
Message decode(std::string_view text);

}  // namespace yoke::launch
