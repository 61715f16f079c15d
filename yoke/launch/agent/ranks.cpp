#include "yoke/launch/agent/ranks.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "yoke/core/error.h"
#include "yoke/core/files/file.h"
#include "yoke/core/system/clock.h"
#include "yoke/core/system/dead_segments.h"
#include "yoke/core/system/exit_status.h"
#include "yoke/launch/agent/process_tree.h"
#include "yoke/launch/logs.h"

namespace yoke::launch {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr std::size_t kLastLines = 10;
/// How long whatever a rank left running may take to end by SIGTERM.
constexpr auto kOrphanGrace = 2s;

fs::path make_directory(const fs::path& log_dir, int attempt, int rank) {
  const fs::path path = rank_folder(log_dir, attempt, rank);
  std::error_code error;
  fs::create_directories(path, error);
  if (error) {
    throw Error(fmt::format("cannot make {}: {}; give a --log-dir that can be written",
                            path.string(), error.message()));
  }
  return path;
}

}  // namespace

Ranks::Ranks(EventLoop& loop, Consoles consoles, const RankOptions& options, const Start& start)
    : loop_(loop), consoles_(consoles), start_(start), host_(options.host) {
  try {
    for (int local = 0; local < options.setting.processes; ++local) start_rank(local, options);
  } catch (...) {
    kill_all();
    for (const auto& rank : ranks_) loop_.forget(rank->process.descriptor());
    throw;
  }
}

Ranks::~Ranks() {
  while (!gone_) {
    kill_at_ = Clock::now();
    tick();
    if (!gone_) std::this_thread::sleep_for(1ms);
  }
}

bool Ranks::shown(int local_rank, Stream stream, const RankOptions& options) const {
  const auto& filter = options.local_ranks_filter;
  if (!filter.empty() && std::find(filter.begin(), filter.end(), local_rank) == filter.end()) {
    return false;
  }
  return options.tee.has(local_rank, stream) || !options.redirects.has(local_rank, stream);
}

void Ranks::start_rank(int local_rank, const RankOptions& options) {
  const auto directory =
      make_directory(options.log_dir, start_.attempt, start_.first_rank + local_rank);
  constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC | O_APPEND;
  const FileDescriptor out(directory / kOutFile, kFlags);
  const FileDescriptor err(directory / kErrFile, kFlags);
  fs::remove(directory / kErrorFile);
  // The only rank of a run needs no name.
  const auto prefix = start_.world_size == 1
                          ? std::string()
                          : fmt::format("[{}{}]:", options.setting.role, local_rank);
  std::vector<LogTail> tails;
  if (shown(local_rank, Stream::kOut, options)) {
    tails.emplace_back(directory / kOutFile, prefix, consoles_.out, said_);
  }
  if (shown(local_rank, Stream::kErr, options)) {
    tails.emplace_back(directory / kErrFile, prefix, consoles_.err, said_);
  }
  Process process({.arguments = options.command,
                   .environment = rank_environment(options.setting, start_, local_rank,
                                                   fs::absolute(directory / kErrorFile)),
                   .out = out.get(),
                   .err = err.get()});
  ranks_.push_back(std::make_unique<Rank>(
      Rank{.process = std::move(process), .directory = directory, .tails = std::move(tails)}));
  Rank& rank = *ranks_.back();
  loop_.watch(rank.process.descriptor(), [this, &rank] { note_exit(rank); });
}

void Ranks::note_exit(Rank& rank) {
  if (rank.exit) return;
  rank.exit = rank.process.poll();
  if (!rank.exit) return;
  loop_.forget(rank.process.descriptor());
  rank.exit_time = seconds_since_1970();
  rank.ended_by_us = *rank.exit < 0 && sent_.contains(-*rank.exit);
}

void Ranks::send(int signal) {
  sent_.insert(signal);
  for (const auto& rank : ranks_) rank->process.send(signal);
}

void Ranks::stop(int signal, Clock::duration delay, Clock::duration grace) {
  const auto at = Clock::now() + delay;
  if (!signal_at_ || at < *signal_at_) {
    signal_at_ = at;
    stop_signal_ = signal;
  }
  if (!kill_at_ || at + grace < *kill_at_) kill_at_ = at + grace;
}

void Ranks::kill_all() {
  sent_.insert(SIGKILL);
  for (const auto& rank : ranks_) rank->process.send(SIGKILL);
  for (const int pid : descendants()) ::kill(pid, SIGKILL);
}

void Ranks::tick() {
  if (gone_) return;
  for (const auto& rank : ranks_) {
    note_exit(*rank);
    for (auto& tail : rank->tails) tail.follow();
  }
  const auto now = Clock::now();
  if (signal_at_ && now >= *signal_at_ && !sent_.contains(stop_signal_)) send(stop_signal_);
  if (kill_at_ && now >= *kill_at_) kill_all();
  if (!all_exited()) return;
  // What the ranks started and left behind ends, too.
  if (!reap_children()) {
    gone_ = true;
    remove_dead_segments();
    for (const auto& rank : ranks_) {
      for (auto& tail : rank->tails) tail.finish();
    }
    return;
  }
  if (!kill_at_ || *kill_at_ > now + kOrphanGrace) {
    for (const int pid : descendants()) ::kill(pid, SIGTERM);
    kill_at_ = now + kOrphanGrace;
  }
}

bool Ranks::all_exited() const {
  return std::all_of(ranks_.begin(), ranks_.end(), [](const auto& rank) { return rank->exit; });
}

bool Ranks::ended() const { return gone_; }

int Ranks::failed() const {
  const auto failed = [](const auto& rank) {
    return rank->exit && *rank->exit != 0 && *rank->exit != kStopped && !rank->ended_by_us;
  };
  return static_cast<int>(std::count_if(ranks_.begin(), ranks_.end(), failed));
}

std::vector<int> Ranks::exits() const {
  constexpr int kRunning = -1000;
  std::vector<int> exits;
  for (const auto& rank : ranks_) exits.push_back(rank->exit.value_or(kRunning));
  return exits;
}

std::vector<Failure> Ranks::failures() const {
  std::vector<Failure> failures;
  for (std::size_t local = 0; local < ranks_.size(); ++local) {
    const Rank& rank = *ranks_[local];
    if (!rank.exit || *rank.exit == 0 || *rank.exit == kStopped) continue;
    const auto error_file = rank.directory / kErrorFile;
    if (rank.ended_by_us && !fs::exists(error_file)) continue;
    Failure failure{.time = rank.exit_time,
                    .host = host_,
                    .rank = start_.first_rank + static_cast<int>(local),
                    .local_rank = static_cast<int>(local),
                    .exit_code = *rank.exit,
                    .pid = rank.process.pid(),
                    .error_file = {},
                    .message = {},
                    .last_lines = last_lines(rank.directory / kErrFile, kLastLines)};
    explain(failure, error_file);
    failures.push_back(std::move(failure));
  }
  return failures;
}

}  // namespace yoke::launch
