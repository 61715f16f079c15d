#include "yoke/report/profile/trace_events.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

namespace yoke {
namespace {

/// `text` as JSON; what is no UTF-8 in it is replaced.
std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string metadata(const char* kind, int rank, std::int64_t thread, const std::string& name) {
  return fmt::format(R"({{"ph":"M","name":"{}","pid":{},"tid":{},"args":{{"name":{}}}}})", kind,
                     rank, thread, quoted(name));
}

double microseconds(std::int64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e3; }

}  // namespace

std::string trace_events(const Profile& profile, const TraceProcess& process) {
  const auto [rank, host] = process;
  std::vector<std::string> events{
      metadata("process_name", rank, 0, fmt::format("rank {} on {}", rank, host)),
      fmt::format(
          R"({{"ph":"M","name":"process_sort_index","pid":{0},"args":{{"sort_index":{0}}}}})",
          rank)};
  for (const auto& [thread, name] : profile.threads) {
    events.push_back(
        metadata("thread_name", rank, thread, thread == ::getpid() ? "training" : name));
  }
  for (const auto& span : profile.spans) {
    const bool user = span.scope == at::RecordScope::USER_SCOPE;
    events.push_back(fmt::format(
        R"({{"ph":"X","cat":"{}","name":{},"pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f}}})",
        user ? "user_annotation" : "cpu_op", quoted(span.name), rank, span.thread,
        microseconds(span.begin), microseconds(span.end - span.begin)));
  }
  return fmt::format("{}", fmt::join(events, ",\n"));
}

std::string trace_file(const std::vector<std::string>& events) {
  return fmt::format("{{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n{}\n]}}\n",
                     fmt::join(events, ",\n"));
}

bool are_trace_events(const std::string& text) { return nlohmann::json::accept("[" + text + "]"); }

}  // namespace yoke
