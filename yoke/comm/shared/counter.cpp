#include "yoke/comm/shared/counter.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <ctime>

namespace yoke::shared {
namespace {

long futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value,
           const timespec* timeout) {
  return ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), operation, value, timeout,
                   nullptr, 0);
}

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

// Either the sleeper sees the new value before it sleeps, or its count is seen here: both sides
// write, then read the other's word, in the one order of sequentially consistent operations.
void Counter::set(std::uint32_t value) {
  value_.store(value, std::memory_order_seq_cst);
  if (sleepers_.load(std::memory_order_seq_cst) > 0) futex(value_, FUTEX_WAKE, INT_MAX, nullptr);
}

bool Counter::wait(std::uint32_t value, bool spins) {
  constexpr int kSpins = 4000, kYields = 20;
  for (int i = 0; spins && i < kSpins; ++i) {
    if (reached(value)) return true;
    pause();
  }
  for (int i = 0; i < kYields; ++i) {
    if (reached(value)) return true;
    ::sched_yield();
  }
  constexpr timespec kTick{.tv_sec = 0, .tv_nsec = 100'000'000};
  for (bool late = false; !late && !reached(value);) {
    sleepers_.fetch_add(1, std::memory_order_seq_cst);
    const std::uint32_t seen = value_.load(std::memory_order_seq_cst);
    const bool done = static_cast<std::int32_t>(seen - value) >= 0;
    late = !done && futex(value_, FUTEX_WAIT, seen, &kTick) != 0 && errno == ETIMEDOUT;
    sleepers_.fetch_sub(1, std::memory_order_relaxed);
  }
  return reached(value);
}

}  // namespace yoke::shared
