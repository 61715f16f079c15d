#include "yoke/core/system/team.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include "yoke/core/system/thread_name.h"

namespace yoke {
namespace {

thread_local Team* led = nullptr;

/// Waits until `value` is not `old`: awake for some microseconds, as phases of a step follow each
/// other closely, then asleep, so that others may have the core.
void wait_while(const std::atomic<std::uint32_t>& value, std::uint32_t old) {
  constexpr int kSpins = 2000;
  for (int i = 0; i < kSpins; ++i) {
    if (value.load(std::memory_order_acquire) != old) return;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  value.wait(old, std::memory_order_acquire);
}

}  // namespace

Team::Team(int size) : before_(led), failures_(static_cast<std::size_t>(size)) {
  led = this;
  at::set_num_threads(1);
  for (int member = 1; member < size; ++member) {
    threads_.emplace_back([this, member] { serve(member); });
  }
}

Team::~Team() {
  led = before_;
  stop_ = true;
  ++task_;
  task_.notify_all();
}

Team* Team::of_this_thread() { return led == nullptr || led->work_ != nullptr ? nullptr : led; }

void Team::run(const std::function<void(int)>& work) {
  work_ = &work;
  for (auto& failure : failures_) failure = nullptr;
  busy_.store(static_cast<std::uint32_t>(size() - 1), std::memory_order_relaxed);
  task_.fetch_add(1, std::memory_order_release);
  task_.notify_all();
  attempt(0);
  for (std::uint32_t busy = busy_.load(std::memory_order_acquire); busy != 0;
       busy = busy_.load(std::memory_order_acquire)) {
    wait_while(busy_, busy);
  }
  work_ = nullptr;
  for (const auto& failure : failures_) {
    if (failure) std::rethrow_exception(failure);
  }
}

void Team::serve(int member) {
  name_thread(fmt::format("replica {}", member));
  at::set_num_threads(1);  // of this thread's OpenMP
  for (std::uint32_t seen = 0;;) {
    wait_while(task_, seen);
    seen = task_.load(std::memory_order_acquire);
    if (stop_) return;
    attempt(member);
    if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_.notify_all();
  }
}

void Team::attempt(int member) {
  try {
    (*work_)(member);
  } catch (...) {
    failures_[static_cast<std::size_t>(member)] = std::current_exception();
  }
}

}  // namespace yoke
