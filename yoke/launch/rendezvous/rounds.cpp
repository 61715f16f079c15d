#include "yoke/launch/rendezvous/rounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <numeric>
#include <utility>

#include "yoke/core/system/clock.h"
#include "yoke/core/system/exit_status.h"

namespace yoke::launch {
using namespace std::chrono_literals;

Rounds::Rounds(RoundsOptions options, Effects effects, Time now)
    : options_(std::move(options)),
      effects_(std::move(effects)),
      forming_since_(now),
      changed_(now),
      ticked_(now),
      attempt_(options_.first_attempt) {}

std::vector<std::string> Rounds::agents() const {
  std::vector<std::string> names;
  for (const auto& [name, member] : members_) names.push_back(name);
  return names;
}

void Rounds::receive(const std::string& agent, const Message& message, Time now) {
  if (const auto* const asks = std::get_if<Join>(&message)) return join(agent, *asks, now);
  const auto found = members_.find(agent);
  if (found == members_.end()) {
    if (!std::holds_alternative<Leave>(message)) effects_.send(agent, Unknown());
    return;
  }
  Member& member = found->second;
  member.seen = now;
  if (const auto* const signal = std::get_if<Signal>(&message)) {
    stop(signal->number, now);
  } else if (const auto* const beat = std::get_if<Beat>(&message)) {
    if (beat->running) member.ran = now;
  } else if (const auto* const failed = std::get_if<Failed>(&message)) {
    if (failed->attempt == attempt_ && phase_ == Phase::kRunning)
      this->failed(member, failed->ranks);
  } else if (const auto* const result = std::get_if<Ended>(&message)) {
    if (member.running && result->attempt == attempt_) ended(member, *result);
    decide(now);
  } else if (std::holds_alternative<Leave>(message)) {
    if (outcome_) {
      members_.erase(found);
    } else {
      lose(found, "its agent ended", now);
    }
  }
}

void Rounds::failed(Member& member, int ranks) {
  member.failed = ranks;
  const int all =
      std::accumulate(members_.begin(), members_.end(), 0,
                      [](int sum, const auto& entry) { return sum + entry.second.failed; });
  if (all > options_.max_lost) return end_round(SIGTERM, kFailureGrace);
  effects_.say(fmt::format("a rank on host {} has failed; the others go on: {} lost, {} may be",
                           member.join.host, all, options_.max_lost));
}

void Rounds::ended(Member& member, const Ended& ended) {
  member.running = false;
  member.join.store = ended.store;
  exits_.insert(exits_.end(), ended.exits.begin(), ended.exits.end());
  for (Failure failure : ended.failures) {
    failure.time += seconds_since_1970() - ended.now;  // by our clock
    failures_.push_back(std::move(failure));
  }
}

void Rounds::lose(int node_rank, const std::string& reason, Time now) {
  for (auto member = members_.begin(); member != members_.end(); ++member) {
    if (member->second.join.node_rank == node_rank) return lose(member, reason, now);
  }
}

void Rounds::lose(Members::iterator member, const std::string& reason, Time now) {
  const Member gone = member->second;
  members_.erase(member);
  effects_.lost(gone.join.node_rank);
  if (outcome_) return;
  effects_.say(fmt::format("host {} is lost: {}", gone.join.host, reason));
  if (!gone.running) return;
  const double unseen = std::chrono::duration<double>(now - gone.seen).count();
  failures_.push_back({.time = seconds_since_1970() - unseen,
                       .host = gone.join.host,
                       .error_file = {},
                       .message = reason});
  host_lost_ = true;
  if (phase_ == Phase::kRunning) end_round(SIGTERM, kFailureGrace);
  decide(now);
}

void Rounds::cannot_reach(int node_rank, const std::string& reason) {
  unreachable_[node_rank] = reason;
}

void Rounds::tick(Time now) {
  if (now - ticked_ > options_.heartbeat_timeout / 2) {  // this process was itself asleep
    for (auto& [name, member] : members_) member.seen = member.ran = now;
  }
  ticked_ = now;
  for (auto member = members_.begin(); member != members_.end();) {
    const auto next = std::next(member);
    const auto seen = member->second.seen, ran = member->second.ran;
    if (now - seen > options_.heartbeat_timeout) {
      lose(member,
           fmt::format("nothing heard of it for {:.0f} s", options_.heartbeat_timeout.count()),
           now);
    } else if (member->second.running && seen - ran > options_.heartbeat_timeout) {  // it says so
      lose(member, "it has no ranks: a message was lost with a connection", now);
    }
    member = next;
  }
  if (phase_ == Phase::kForming && !outcome_) form(now);
}

void Rounds::end_round(int signal, std::chrono::duration<double> grace) {
  phase_ = Phase::kEnding;
  for (const auto& [name, member] : members_) {
    if (member.running) effects_.send(name, Stop{signal, grace.count()});
  }
}

void Rounds::stop(int signal, Time now) {
  if (outcome_) return;
  ++stops_;
  stop_signal_ = signal;
  if (phase_ == Phase::kForming) {
    return finish(128 + signal, "stopped before all hosts were there");
  }
  if (stops_ > 1) {
    effects_.say("stopping at once");
    return end_round(SIGKILL, 0s);
  }
  phase_ = Phase::kEnding;
  for (const auto& [name, member] : members_) {
    if (member.running) effects_.send(name, Signal{signal});
  }
  decide(now);
}

/// Once nothing runs any more: what comes next.
void Rounds::decide(Time now) {
  if (outcome_ || phase_ == Phase::kForming) return;
  for (const auto& [name, member] : members_) {
    if (member.running) return;
  }
  if (went_well([](int exit) { return exit == 0; })) return finish_well(0);
  if (stop_signal_ != 0) return decide_stopped();
  if ((host_lost_ && options_.nodes.elastic()) || (newcomer_ && !host_lost_))
    return next_round(now);
  if (failures_.empty()) return finish(kStopped, {});
  // What other ranks said after it only follows from it.
  if (const auto& cause = root_cause(failures_); is_final(cause.exit_code)) {
    const char* const what =
        cause.exit_code == kWrongUsage ? "was used wrongly" : "cannot be run here";
    return finish(cause.exit_code, fmt::format("{} {}: {}", options_.name, what, cause.message));
  }
  if (restarts_ >= options_.max_restarts) {
    return finish(1, failure_report(failures_, options_.name));
  }
  ++restarts_;
  effects_.say(fmt::format("attempt {} failed: {}; restart {} of {}", attempt_,
                           summary(root_cause(failures_)), restarts_, options_.max_restarts));
  next_round(now);
}

void Rounds::decide_stopped() {
  constexpr int kSignalStatus = 128;  // as shells count
  if (went_well([](int exit) { return exit == 0 || exit == kStopped; })) {
    return finish_well(kStopped);
  }
  if (failures_.empty()) return finish(kSignalStatus + stop_signal_, {});
  finish(1, failure_report(failures_, options_.name));
}

/// All ranks, but for those that may be lost.
bool Rounds::went_well(const std::function<bool(int)>& allowed) const {
  const auto good = std::count_if(exits_.begin(), exits_.end(), allowed);
  const auto lost = static_cast<std::ptrdiff_t>(failures_.size());
  return good > 0 && lost <= options_.max_lost &&
         good + lost == static_cast<std::ptrdiff_t>(exits_.size());
}

void Rounds::finish_well(int status) {
  std::string lost;
  for (const Failure& failure : failures_) {
    lost += (lost.empty() ? "done without " : "; without ") + summary(failure);
  }
  finish(status, lost);
}

void Rounds::next_round(Time now) {
  ++attempt_;
  ++rounds_;
  phase_ = Phase::kForming;
  forming_since_ = now;
  form(now);
}

void Rounds::fail(const std::string& reason) { finish(1, reason); }

void Rounds::finish(int status, std::string report) {
  if (outcome_) return;
  outcome_ = Outcome{.status = status, .report = std::move(report)};
  for (const auto& [name, member] : members_) {
    effects_.send(name, Finish{status, outcome_->report});
  }
}

}  // namespace yoke::launch
