#include "yoke/launch/stop.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <iterator>
#include <thread>

#include "yoke/core/error.h"

namespace yoke::launch {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

bool same_path(const std::string& a, const std::string& b) {
  std::error_code ignored;
  return !a.empty() && !b.empty() && fs::equivalent(a, b, ignored);
}

std::string list(const std::vector<RunRecord>& records) {
  std::string text;
  for (const auto& record : records) {
    text += fmt::format("\n  {}  pid {}  on {}  {}", record.id, record.pid,
                        fmt::join(record.hosts, ","), record.command);
  }
  return text;
}

bool wait_for_end(const RunRecord& record, std::chrono::duration<double> most) {
  const auto last = Clock::now() + most;
  while (is_running(record)) {
    if (Clock::now() > last) return false;
    std::this_thread::sleep_for(20ms);
  }
  return true;
}

}  // namespace

RunRecord find_run(const std::vector<RunRecord>& records, const std::string& wanted) {
  if (records.empty()) {
    throw UsageError(
        "no run of yoke run is going on here; it is stopped on the host, and by the "
        "user, that started it");
  }
  std::vector<RunRecord> found;
  std::copy_if(records.begin(), records.end(), std::back_inserter(found), [&](const auto& record) {
    return wanted.empty() || record.id == wanted || same_path(record.directory, wanted) ||
           same_path(record.log_dir, wanted);
  });
  if (found.size() == 1) return found.front();
  if (found.empty()) {
    throw UsageError(
        fmt::format("'{}' is no run that is going on; there are:{}", wanted, list(records)));
  }
  throw UsageError(
      fmt::format("several runs are going on; say which: yoke stop ID{}", list(found)));
}

Stopped stop_run(const RunRecord& record, bool now, std::chrono::duration<double> grace) {
  constexpr auto kSecondSignal = 100ms;  // two signals at once could be taken for one
  constexpr auto kAtOnceGrace = 30s;     // for the hosts to answer
  ::kill(record.pid, SIGTERM);
  if (!now && wait_for_end(record, grace)) return Stopped::kByItself;
  if (wait_for_end(record, kSecondSignal)) return Stopped::kAtOnce;
  ::kill(record.pid, SIGTERM);
  if (wait_for_end(record, kAtOnceGrace)) return Stopped::kAtOnce;
  ::kill(record.pid, SIGKILL);  // agents and ranks end when they notice
  wait_for_end(record, kAtOnceGrace);
  return Stopped::kKilled;
}

}  // namespace yoke::launch
