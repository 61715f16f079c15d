// yoke/launch/rendezvous/rounds_form.cpp: who takes part in a round: joining, waiting for hosts,
// starting.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "yoke/core/version.h"
#include "yoke/launch/network.h"
#include "yoke/launch/rendezvous/rounds.h"

namespace yoke::launch {
void Rounds::join(const std::string& agent, const Join& join, Time now) {
  const std::string reason = refusal(agent, join, now);
  if (!reason.empty()) return effects_.send(agent, Refuse{reason});
  if (const auto known = members_.find(agent); known != members_.end()) {
    if (!known->second.running) {  // only repeats its question
      known->second.seen = now;
      return effects_.send(agent, Welcome());
    }
    lose(known, "its agent lost the connection and came back", now);
  }
  for (const auto& [name, member] : members_) {
    if (join.node_rank >= 0 && member.join.node_rank == join.node_rank) return;  // contends
  }
  contenders_.erase(agent);
  unreachable_.erase(join.node_rank);
  members_[agent] = {.join = join, .order = joined_++, .running = false, .seen = now, .ran = now};
  changed_ = now;
  effects_.send(agent, Welcome());
  const auto running = std::count_if(members_.begin(), members_.end(),
                                     [](const auto& each) { return each.second.running; });
  if (phase_ == Phase::kRunning && running < options_.nodes.most) {
    effects_.say(fmt::format("host {} joins; the ranks stop and start again with it", join.host));
    newcomer_ = true;
    end_round(SIGTERM, kSaveGrace);
  }
}

/// Why `agent` cannot join; empty where it can, or where that is not known yet.
std::string Rounds::refusal(const std::string& agent, const Join& join, Time now) {
  if (join.version != kVersion) {
    return fmt::format("host {} has yoke {}, the coordinator has {}; install the same on each host",
                       join.host, join.version, kVersion);
  }
  if (join.run != options_.run) {  // not said: whoever knows it may take part
    return fmt::format(
        "host {} asks for the run '{}', and this coordinator has another; give the same --rdzv-id "
        "on each host, or another port to each run",
        join.host, join.run);
  }
  const int least = options_.hosts.empty() ? -1 : 0;  // those of a list are all told theirs
  if (join.processes < 1 || join.node_rank < least || join.node_rank >= options_.nodes.most) {
    return fmt::format("node rank {} is given on host {}; allowed: 0 to {}, for --nnodes {}",
                       join.node_rank, join.host, options_.nodes.most - 1, options_.nodes.most);
  }
  // Who has the same node rank may be dead without our knowing yet: only a holder that is heard of
  // after the newcomer first asked keeps its place.
  for (const auto& [name, member] : members_) {
    if (name == agent || join.node_rank < 0 || member.join.node_rank != join.node_rank) continue;
    const Time asked = contenders_.emplace(agent, now).first->second;
    if (member.seen <= asked) continue;
    return fmt::format(
        "node rank {} is given on host {}, but host {} has it; give each host its own",
        join.node_rank, join.host, member.join.host);
  }
  return {};
}

void Rounds::form(Time now) {
  const int count = static_cast<int>(members_.size());
  const bool enough = count >= options_.nodes.least && now - changed_ >= options_.last_call &&
                      now - forming_since_ >= options_.last_call;
  if (count >= options_.nodes.most || enough) return start(now);
  if (now - forming_since_ < options_.join_timeout) return;
  finish(1, fmt::format("only {} of {} hosts came within {:.0f} s; missing: {}", count,
                        options_.nodes.least, options_.join_timeout.count(), missing()));
}

std::string Rounds::missing() const {
  std::vector<std::string> names;
  const int asked =
      options_.hosts.empty() ? options_.nodes.least : static_cast<int>(options_.hosts.size());
  int unnamed = 0;
  for (const auto& [name, member] : members_) unnamed += member.join.node_rank < 0 ? 1 : 0;
  for (int rank = 0; rank < asked; ++rank) {
    const bool here = std::any_of(members_.begin(), members_.end(), [rank](const auto& each) {
      return each.second.join.node_rank == rank;
    });
    if (here || unnamed-- > 0) continue;
    const auto why = unreachable_.find(rank);
    names.push_back(options_.hosts.empty()
                        ? fmt::format("node rank {} (start yoke run there, with this host's "
                                      "address and the same --rdzv-id)",
                                      rank)
                        : fmt::format("{} ({})", options_.hosts[static_cast<std::size_t>(rank)],
                                      why != unreachable_.end() ? why->second : "no answer"));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

void Rounds::start(Time now) {
  std::vector<std::pair<std::string, Member*>> chosen;
  for (auto& [name, member] : members_) chosen.emplace_back(name, &member);
  std::sort(chosen.begin(), chosen.end(), [](const auto& a, const auto& b) {
    const auto key = [](const Member& member) {
      return std::pair(member.join.node_rank < 0, std::pair(member.join.node_rank, member.order));
    };
    return key(*a.second) < key(*b.second);
  });
  if (static_cast<int>(chosen.size()) > options_.nodes.most) {
    chosen.resize(static_cast<std::size_t>(options_.nodes.most));
  }
  const Join& first = chosen.front().second->join;
  if (!first.store.problem.empty()) return fail(first.store.problem);
  Start start{.attempt = attempt_,
              .restarts = restarts_,
              .resume = rounds_ > 0,
              .master_addr = options_.master_addr.empty() ? first.address : options_.master_addr,
              .master_port = first.store.port};
  start.world_size = 0;
  for (const auto& [name, member] : chosen) {
    if (is_loopback(start.master_addr) && !is_loopback(member->join.address)) {
      return fail(fmt::format(
          "the ranks on host {} ({}) cannot reach {} on host {}: it is an address that each host "
          "has for itself; give --master-addr, --local-addr or --network-interface",
          member->join.host, member->join.address, start.master_addr, first.host));
    }
    start.world_size += member->join.processes;
  }
  if (rounds_ > 0) {
    effects_.say(
        fmt::format("attempt {}: ranks: {}, hosts: {}", attempt_, start.world_size, chosen.size()));
  }
  exits_.clear();
  failures_.clear();
  host_lost_ = newcomer_ = false;
  phase_ = Phase::kRunning;
  for (const auto& [name, member] : chosen) {
    member->running = true;
    member->failed = 0;
    member->seen = member->ran = now;
    effects_.send(name, start);
    ++start.group_rank;
    start.first_rank += member->join.processes;
  }
}

}  // namespace yoke::launch
