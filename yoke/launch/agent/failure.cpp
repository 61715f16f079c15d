#include "yoke/launch/agent/failure.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>

#include "yoke/launch/agent/error_file.h"

namespace yoke::launch {
namespace {

std::string exit_message(const Failure& failure) {
  if (failure.exit_code >= 0) return fmt::format("exited with status {}", failure.exit_code);
  const char* const name = ::sigabbrev_np(-failure.exit_code);
  return fmt::format("Signal {} (SIG{}) received by PID {}", -failure.exit_code,
                     name != nullptr ? name : "?", failure.pid);
}

std::string format_time(double seconds) {
  const auto whole = static_cast<std::time_t>(seconds);
  return fmt::format("{:%Y-%m-%d_%H:%M:%S}.{:03}", fmt::localtime(whole),
                     static_cast<int>(1000 * (seconds - std::floor(seconds))));
}

void describe(std::string& text, std::size_t index, const Failure& failure) {
  const auto line = [&text](const char* name, const std::string& value) {
    text += fmt::format("  {:<10}: {}\n", name, value);
  };
  text += fmt::format("[{}]:\n", index);
  line("time", format_time(failure.time));
  line("host", failure.host);
  if (failure.rank >= 0) {
    line("rank", fmt::format("{} (local_rank: {})", failure.rank, failure.local_rank));
    line("exitcode", fmt::format("{} (pid: {})", failure.exit_code, failure.pid));
    line("error_file", failure.error_file.empty() ? "<N/A>" : failure.error_file);
  }
  std::istringstream message(failure.message);
  std::string first, more;
  std::getline(message, first);
  line("traceback", first);
  while (std::getline(message, more)) text += fmt::format("    {}\n", more);
  if (failure.last_lines.empty()) return;
  text += "  last lines of its standard error:\n";
  for (const auto& last : failure.last_lines) text += fmt::format("    {}\n", last);
}

}  // namespace

void explain(Failure& failure, const std::filesystem::path& error_file) {
  failure.message = exit_message(failure);
  std::error_code ignored;
  if (!std::filesystem::exists(error_file, ignored)) return;
  failure.error_file = error_file.string();
  try {
    const RankError error = read_rank_error(error_file);
    failure.message = error.message;
    // A time-stamp of whole seconds lies up to a second before what it stamps.
    if (error.time > 0) failure.time = std::min(failure.time, error.time);
  } catch (const std::exception&) {
    failure.last_lines.push_back(fmt::format("({} is not in torch's form)", failure.error_file));
  }
}

const Failure& root_cause(const std::vector<Failure>& failures) {
  return *std::min_element(failures.begin(), failures.end(),
                           [](const auto& a, const auto& b) { return a.time < b.time; });
}

std::string summary(const Failure& failure) {
  const auto line = failure.message.substr(0, failure.message.find('\n'));
  if (failure.rank < 0) return fmt::format("host {}: {}", failure.host, line);
  return fmt::format("rank {} on host {}: {}", failure.rank, failure.host, line);
}

std::string failure_report(std::vector<Failure> failures, const std::string& name) {
  const std::string title = fmt::format("{} FAILED", name);
  const std::size_t width = std::clamp<std::size_t>(title.size(), 40, 60);
  const std::string thick(width, '='), thin(width, '-');
  std::stable_sort(failures.begin(), failures.end(),
                   [](const auto& a, const auto& b) { return a.time < b.time; });
  std::string text = fmt::format("{}\n{}\n{}\nFailures:\n", thick, title, thin);
  if (failures.size() == 1) text += "  <NO_OTHER_FAILURES>\n";
  for (std::size_t i = 1; i < failures.size(); ++i) describe(text, i, failures[i]);
  text += fmt::format("{}\nRoot Cause (first observed failure):\n", thin);
  if (!failures.empty()) describe(text, 0, failures.front());
  return text + thick + "\n";
}

}  // namespace yoke::launch
