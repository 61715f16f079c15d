// yoke/launch/agent/ranks.h: the ranks of one host in one attempt.
#pragma once
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "yoke/core/system/process.h"
#include "yoke/launch/agent/log_tail.h"
#include "yoke/launch/agent/rank_environment.h"

namespace yoke::launch {

/// What the ranks of a host run, and where their output goes.
struct RankOptions {
  RankSetting setting;
  std::vector<std::string> command;
  std::filesystem::path log_dir;  ///< Has attempt-A/rank-R/ below it.
  StreamChoice redirects, tee;
  std::vector<int> local_ranks_filter;
  std::string host;
};

/// Starts the ranks when made, and ends them and everything they started when destroyed.
/// Wants adopt_orphans() before, and no other children in this process.
class Ranks {
 public:
  using Clock = std::chrono::steady_clock;

  /// @throws UsageError when the program cannot be run.
  Ranks(EventLoop& loop, Consoles consoles, const RankOptions& options, const Start& start);
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  int attempt() const { return start_.attempt; }
  /// Passes `signal` to each rank.
  void send(int signal);
  /// Sends `signal` after `delay`, and SIGKILL to everything `grace` later. Never makes an earlier
  /// end later.
  void stop(int signal, Clock::duration delay, Clock::duration grace);
  /// Shows output, and kills what is due.
  void tick();
  /// How many ranks have failed by themselves.
  int failed() const;
  /// Whether all ranks, and all that they started, are gone.
  bool ended() const;
  /// By local rank; -1000 for one that still runs.
  std::vector<int> exits() const;
  /// Ranks that failed by themselves, and those that say so in their error file.
  std::vector<Failure> failures() const;

 private:
  struct Rank {
    Process process;
    std::filesystem::path directory;
    std::vector<LogTail> tails;
    std::optional<int> exit = {};
    double exit_time = 0;
    bool ended_by_us = false;
  };

  void start_rank(int local_rank, const RankOptions& options);
  bool shown(int local_rank, Stream stream, const RankOptions& options) const;
  void note_exit(Rank& rank);
  void kill_all();
  bool all_exited() const;

  EventLoop& loop_;
  Consoles consoles_;
  Start start_;
  std::string host_;
  std::vector<std::unique_ptr<Rank>> ranks_;
  std::set<std::string> said_;
  std::set<int> sent_;  // signals that ranks were sent
  int stop_signal_ = 0;
  std::optional<Clock::time_point> signal_at_, kill_at_;
  bool gone_ = false;
};

}  // namespace yoke::launch
