#include "yoke/report/profile/profiler.h"

#include <chrono>
#include <mutex>
#include <utility>

#include "yoke/core/error.h"
#include "yoke/core/system/thread_name.h"

namespace yoke {
namespace {

using Clock = std::chrono::steady_clock;

std::mutex mutex;  // of the process's recording

}  // namespace

struct Profiler::Recording {
  const Clock::time_point start = Clock::now();
  std::mutex mutex;
  Profile profile;

  std::int64_t now() const {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
  }

  void add(ProfiledSpan span) {
    const std::lock_guard lock(mutex);
    if (static_cast<std::int64_t>(profile.spans.size()) == kMostSpans) {
      ++profile.left_out;
    } else {
      profile.spans.push_back(std::move(span));
    }
  }
};

/// A span under way.
struct Profiler::Open : at::ObserverContext {
  explicit Open(std::shared_ptr<Recording> given)
      : recording(std::move(given)), begin(recording->now()) {}
  std::shared_ptr<Recording> recording;
  std::int64_t begin;
};

/// What LibTorch's callbacks, which take no state, record into; null where nothing does.
std::shared_ptr<Profiler::Recording>& Profiler::current() {
  static std::shared_ptr<Recording> recording;
  return recording;
}

std::unique_ptr<at::ObserverContext> Profiler::begin_span(const at::RecordFunction&) {
  const std::lock_guard lock(mutex);
  return current() ? std::make_unique<Open>(current()) : nullptr;
}

void Profiler::end_span(const at::RecordFunction& function, at::ObserverContext* context) {
  if (context == nullptr) return;
  auto& open = *static_cast<Open*>(context);
  const std::int64_t end = open.recording->now();
  open.recording->add({.name = function.name(),
                       .scope = function.scope(),
                       .thread = thread_number(),
                       .begin = open.begin,
                       .end = end});
}

Profiler::Profiler() : recording_(std::make_shared<Recording>()) {
  const std::lock_guard lock(mutex);
  if (current()) throw Error("a profile of this process is being recorded already; end it first");
  current() = recording_;
  callback_ = at::addGlobalCallback(at::RecordFunctionCallback(&begin_span, &end_span));
}

Profiler::~Profiler() { static_cast<void>(stop()); }

Profile Profiler::stop() {
  if (!recording_) return {};
  at::removeCallback(callback_);
  {
    const std::lock_guard lock(mutex);
    current().reset();
  }
  const auto recording = std::exchange(recording_, nullptr);
  const std::lock_guard lock(recording->mutex);
  Profile profile = std::move(recording->profile);
  for (const auto& span : profile.spans) {
    const auto [found, added] = profile.threads.try_emplace(span.thread);
    if (added) found->second = thread_name(span.thread);
  }
  return profile;
}

}  // namespace yoke
