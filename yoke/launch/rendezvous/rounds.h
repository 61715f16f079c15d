// yoke/launch/rendezvous/rounds.h: decides which hosts run when: the coordinator's rules, without a
// network.
#pragma once
#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "yoke/launch/config.h"
#include "yoke/launch/rendezvous/message.h"

namespace yoke::launch {

/// What the rules need to know of a run.
struct RoundsOptions {
  std::string run;   ///< Agents must name the same.
  std::string name;  ///< The program, for the report.
  NodeRange nodes;
  int max_restarts = 0;
  int max_lost = 0;  ///< Ranks that may fail while the others go on.
  int first_attempt = 0;
  std::string master_addr;         ///< Empty: the address that rank 0's host gave.
  std::vector<std::string> hosts;  ///< By node rank, where a list of hosts was given.
  std::chrono::duration<double> join_timeout = std::chrono::seconds(300);
  std::chrono::duration<double> last_call = std::chrono::seconds(5);
  std::chrono::duration<double> heartbeat_timeout = std::chrono::seconds(5);
};

/// Between SIGTERM and SIGKILL: after a failure nobody can save any more; otherwise ranks write a
/// checkpoint.
inline constexpr std::chrono::duration<double> kFailureGrace{5}, kSaveGrace{300};

/// How a run ended.
struct Outcome {
  int status = 0;
  std::string report;  ///< What to print; may be empty.
};

/// Forms rounds. In each, every member host runs its ranks once; a failure, a lost host, a new host
/// or a user ends it, and unless that ends the run another one forms.
class Rounds {
 public:
  using Clock = std::chrono::steady_clock;
  using Time = Clock::time_point;

  /// How the rules act on the world.
  struct Effects {
    std::function<void(const std::string& agent, const Message&)> send;
    std::function<void(const std::string& sentence)> say;  ///< To the user.
    std::function<void(int node_rank)> lost;               ///< A host was given up.
  };

  Rounds(RoundsOptions options, Effects effects, Time now);

  /// A message came from `agent`, by whose name it is answered.
  void receive(const std::string& agent, const Message& message, Time now);
  /// The agent of `node_rank` is known to be gone, for `reason`.
  void lose(int node_rank, const std::string& reason, Time now);
  /// A host cannot be reached; said if it is still missing when patience ends.
  void cannot_reach(int node_rank, const std::string& reason);
  /// A user wants the run to stop; a second time, at once.
  void stop(int signal, Time now);
  /// Ends the run for a reason that no restart mends.
  void fail(const std::string& reason);
  /// To be called several times a second: notices what did not happen.
  void tick(Time now);

  /// Set once the run is over.
  const std::optional<Outcome>& outcome() const { return outcome_; }
  /// Agents that take part or wait to.
  std::vector<std::string> agents() const;

 private:
  struct Member {
    Join join;
    int order = 0;  // of joining
    bool running = false;
    Time seen;
    Time ran;        // when its ranks were last known to run
    int failed = 0;  // ranks of this round
  };
  enum class Phase { kForming, kRunning, kEnding };
  using Members = std::map<std::string, Member>;

  void join(const std::string& agent, const Join& join, Time now);
  std::string refusal(const std::string& agent, const Join& join, Time now);
  void failed(Member& member, int ranks);
  void ended(Member& member, const Ended& ended);
  void lose(Members::iterator member, const std::string& reason, Time now);
  void form(Time now);
  std::string missing() const;
  void start(Time now);
  void end_round(int signal, std::chrono::duration<double> grace);
  void decide(Time now);
  void decide_stopped();
  bool went_well(const std::function<bool(int)>& allowed) const;
  void next_round(Time now);
  void finish_well(int status);
  void finish(int status, std::string report);

  RoundsOptions options_;
  Effects effects_;
  Members members_;
  std::map<std::string, Time> contenders_;  // for a node rank that has a holder
  std::map<int, std::string> unreachable_;  // why, by node rank
  Phase phase_ = Phase::kForming;
  Time forming_since_, changed_, ticked_;  // changed_: when the last member came
  int joined_ = 0, attempt_ = 0, rounds_ = 0, restarts_ = 0;
  // Of this round:
  std::vector<int> exits_;
  std::vector<Failure> failures_;  // of ranks and hosts
  bool host_lost_ = false, newcomer_ = false;
  int stop_signal_ = 0, stops_ = 0;
  std::optional<Outcome> outcome_;
};

}  // namespace yoke::launch
