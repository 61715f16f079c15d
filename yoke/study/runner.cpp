#include "yoke/study/runner.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <csignal>
#include <deque>
#include <numeric>

#include "yoke/core/files/file.h"
#include "yoke/core/format.h"
#include "yoke/core/system/clock.h"
#include "yoke/core/system/exit_status.h"
#include "yoke/run/run_results.h"
#include "yoke/run/summary.h"
#include "yoke/study/report/words.h"
#include "yoke/study/time_left.h"

namespace yoke::study {
namespace {

constexpr double kGraceSeconds = 60;  // to write a checkpoint, until a run is killed

/// A set of hosts, and the run that goes on there.
struct Lane {
  const HostSet* hosts = nullptr;
  std::optional<Process> process = {};
  const Job* job = nullptr;
  Stopwatch clock = {};
  std::optional<double> asked = {};  ///< When it was asked to end, by `clock`.
  bool over_limit = false;
};

/// What a run said last, without the name of the program.
std::string last_words(const std::filesystem::path& log) {
  std::string text = std::filesystem::exists(log) ? read_file(log) : "";
  while (!text.empty() && text.back() == '\n') text.pop_back();
  const auto begin = text.find_last_of("\r\n");
  if (begin != std::string::npos) text.erase(0, begin + 1);
  constexpr std::string_view kProgram = "yoke: ";
  if (text.starts_with(kProgram)) text.erase(0, kProgram.size());
  return text;
}

class Runner {
 public:
  Runner(const StudyPlan& plan, const std::vector<Job>& jobs, const RunnerContext& context)
      : plan_(plan), context_(context) {
    for (const auto& hosts : plan.hosts) {
      Lane& lane = lanes_.emplace_back();
      lane.hosts = &hosts;
    }
    for (const auto& job : jobs) {
      if (is_done(job)) {
        ++result_.done_before;
        const auto seconds = read_run(job.directory).number(key::kWallSeconds);
        if (seconds) time_left_.add(*job.point, *seconds);
      } else {
        waiting_.push_back(&job);
      }
    }
    total_ = static_cast<int>(jobs.size());
  }

  RunnerResult run() {
    while (true) {
      if (!stopping()) begin_runs();
      if (idle()) break;
      wait();
      for (auto& lane : lanes_) look(lane);
    }
    result_.left += static_cast<int>(waiting_.size());
    return result_;
  }

 private:
  bool asked_to_stop() const { return context_.stop != nullptr && *context_.stop; }
  bool out_of_time() const { return plan_.limit && clock_.seconds() > plan_.limit->count(); }
  bool ending() const { return asked_to_stop() || !result_.wrong_usage.empty(); }
  bool stopping() const { return ending() || out_of_time(); }

  bool idle() const {
    return std::all_of(lanes_.begin(), lanes_.end(),
                       [](const Lane& lane) { return !lane.process.has_value(); });
  }

  void begin_runs() {
    for (auto& lane : lanes_) {
      if (lane.process) continue;
      const auto fits = [&](const Job* job) {
        return job->point->nodes <= std::max(1, static_cast<int>(lane.hosts->size()));
      };
      const auto next = std::find_if(waiting_.begin(), waiting_.end(), fits);
      if (next == waiting_.end()) continue;
      const Job* const job = *next;
      waiting_.erase(next);
      begin(lane, *job);
    }
  }

  void begin(Lane& lane, const Job& job) {
    prepare(job);
    FileDescriptor log(job.log_path(), O_WRONLY | O_CREAT | O_TRUNC);
    lane.job = &job;
    lane.clock = Stopwatch();
    lane.asked.reset();
    lane.over_limit = false;
    lane.process.emplace(ProcessOptions{.arguments = command_of(job, context_.program, *lane.hosts),
                                        .environment = context_.environment,
                                        .out = log.get(),
                                        .err = log.get()});
  }

  /// Until a run ends, or it is time to look at the clock.
  void wait() const {
    std::vector<pollfd> ends;
    for (const auto& lane : lanes_) {
      if (!lane.process) continue;
      ends.push_back({.fd = lane.process->descriptor(), .events = POLLIN, .revents = 0});
    }
    constexpr int kMilliseconds = 200;
    ::poll(ends.data(), ends.size(), kMilliseconds);
  }

  void look(Lane& lane) {
    if (!lane.process) return;
    if (const auto status = lane.process->poll()) return end(lane, *status);
    const double seconds = lane.clock.seconds();
    lane.over_limit = lane.over_limit || (plan_.run_limit && seconds > plan_.run_limit->count());
    if (!lane.asked && (lane.over_limit || ending())) {
      lane.process->send(SIGTERM);
      lane.asked = seconds;
    }
    if (lane.asked && seconds > *lane.asked + kGraceSeconds) lane.process->send(SIGKILL);
  }

  void end(Lane& lane, int status) {
    const double seconds = lane.clock.seconds();
    const Job& job = *lane.job;
    lane.process.reset();
    if (status == 0 && is_done(job)) {
      ++result_.completed;
      time_left_.add(*job.point, seconds);
      tell(job, fmt::format("{} in {}", outcome(job), in_seconds(seconds)));
    } else if (status == kUnavailable) {
      skip(job);
    } else if (lane.asked && !lane.over_limit) {
      ++result_.left;
      tell(job, "stopped; it will be run again");
    } else {
      fail(job, status, lane.over_limit);
    }
  }

  /// All runs of its point, which would say the same.
  void skip(const Job& job) {
    const auto of_point = [&](const Job* other) { return other->point == job.point; };
    const int runs = 1 + static_cast<int>(std::erase_if(waiting_, of_point));
    const std::string why = last_words(job.log_path());
    auto& skipped = result_.skipped;
    auto known = std::find_if(skipped.begin(), skipped.end(), [&](const Skipped& each) {
      return each.point == job.point->name;  // of which other hosts had a run as well
    });
    if (known == skipped.end()) known = skipped.insert(known, {job.point->name, 0, why});
    known->runs += runs;
    tell(job,
         fmt::format("skipped{}: {}",
                     runs > 1 ? fmt::format(", with {} more of its point", runs - 1) : "", why));
  }

  void fail(const Job& job, int status, bool over_limit) {
    const std::string log = job.log_path().string();
    if (over_limit) {
      ++result_.failed;
      return tell(job, fmt::format("ended, for it took longer than the run-limit of {}; see {}",
                                   in_seconds(plan_.run_limit->count()), log));
    }
    ++result_.failed;
    if (status == kWrongUsage) {
      result_.wrong_usage = fmt::format("{}: {}; its log is {}", job.directory.filename().string(),
                                        last_words(job.log_path()), log);
      return;
    }
    if (status == 0) {
      return tell(job, fmt::format("ended, but its results are not in {}; hosts need to share this "
                                   "folder; see {}",
                                   job.directory.string(), log));
    }
    tell(job, fmt::format("failed ({} {}): {}; see {}", status < 0 ? "signal" : "exit status",
                          std::abs(status), last_words(job.log_path()), log));
  }

  static std::string outcome(const Job& job) {
    const auto accuracy = read_run(job.directory).number(key::kValTop1);
    return accuracy ? fmt::format("completed, top-1 {},", in_percent(*accuracy)) : "completed";
  }

  void tell(const Job& job, const std::string& what) {
    const int ended =
        result_.done_before + result_.completed + result_.failed + result_.skipped_runs();
    std::vector<const Job*> rest(waiting_.begin(), waiting_.end());
    for (const auto& lane : lanes_) {
      if (lane.process) rest.push_back(lane.job);
    }
    const auto left = time_left_.of(rest, lanes_.size(), context_.later);
    std::string line =
        fmt::format("[{}/{}] {}: {}", ended, total_, job.directory.filename().string(), what);
    if (left && *left > 0) line += fmt::format("; about {} left", format_duration(*left));
    context_.tell(line);
  }

  const StudyPlan& plan_;
  const RunnerContext& context_;
  std::deque<Lane> lanes_;  // processes do not move
  std::deque<const Job*> waiting_;
  TimeLeft time_left_;
  RunnerResult result_;
  int total_ = 0;
  const Stopwatch clock_;
};

}  // namespace

int RunnerResult::skipped_runs() const {
  return std::accumulate(skipped.begin(), skipped.end(), 0,
                         [](int runs, const Skipped& each) { return runs + each.runs; });
}

void RunnerResult::add(const RunnerResult& more) {
  done_before += more.done_before;
  completed += more.completed;
  failed += more.failed;
  left += more.left;
  skipped.insert(skipped.end(), more.skipped.begin(), more.skipped.end());
  wrong_usage = more.wrong_usage;
}

RunnerResult run_jobs(const StudyPlan& plan, const std::vector<Job>& jobs,
                      const RunnerContext& context) {
  return Runner(plan, jobs, context).run();
}

}  // namespace yoke::study
