// yoke/report/profile/profiler.h: what the threads of a process did, span by span.
#pragma once
#include <ATen/record_function.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace yoke {

/// A time in which a thread did one thing.
struct ProfiledSpan {
  std::string name;
  at::RecordScope scope = at::RecordScope::FUNCTION;
  std::int64_t thread = 0;          ///< The system's number.
  std::int64_t begin = 0, end = 0;  ///< Nanoseconds since the profiler began.
};

/// What was recorded.
struct Profile {
  std::vector<ProfiledSpan> spans;              ///< As they ended.
  std::map<std::int64_t, std::string> threads;  ///< Names, by number.
  std::int64_t left_out = 0;                    ///< Spans past the most that are kept.
};

/// Records, from its making on, what LibTorch's RECORD_FUNCTION marks in any thread of this
/// process: operators, autograd's nodes, and the scopes of Yoke and of users.
class Profiler {
 public:
  /// As many spans as a profile holds: 60 MB as text.
  static constexpr std::int64_t kMostSpans = 400'000;

  /// @throws Error where this process has another one: LibTorch's callbacks are the process's.
  Profiler();
  ~Profiler();
  Profiler(const Profiler&) = delete;
  Profiler& operator=(const Profiler&) = delete;

  /// Ends it. Spans that have not ended are left out.
  Profile stop();

 private:
  struct Recording;
  struct Open;

  static std::unique_ptr<at::ObserverContext> begin_span(const at::RecordFunction& function);
  static void end_span(const at::RecordFunction& function, at::ObserverContext* context);
  static std::shared_ptr<Recording>& current();

  std::shared_ptr<Recording> recording_;  ///< Spans under way have it, too.
  at::CallbackHandle callback_ = at::INVALID_CALLBACK_HANDLE;
};

}  // namespace yoke
