// yoke/comm/shared/counter.h: a number in shared memory that others wait for.
#pragma once
#include <atomic>
#include <cstdint>

namespace yoke::shared {

/// Counts up, modulo 2^32; zeros are a valid one. One process adds, any wait. What was written
/// before add() is seen after the wait, on any processor: the order is that of C++'s atomics.
class alignas(64) Counter {
 public:
  std::uint32_t value() const { return value_.load(std::memory_order_acquire); }
  /// Makes it `value` and wakes those who wait.
  void set(std::uint32_t value);
  /// Whether it has come to `value`.
  bool reached(std::uint32_t value) const {
    return static_cast<std::int32_t>(this->value() - value) >= 0;
  }
  /// Waits until it has come to `value`, at most about a tenth of a second: awake for a while where
  /// `spins`, then asleep. Returns whether it has.
  bool wait(std::uint32_t value, bool spins);

 private:
  std::atomic<std::uint32_t> value_;
  std::atomic<std::uint32_t> sleepers_;
};

static_assert(std::atomic<std::uint32_t>::is_always_lock_free);  // so that processes may share it
static_assert(sizeof(Counter) == 64);

}  // namespace yoke::shared
