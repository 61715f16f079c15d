// yoke/core/system/clock.h: elapsed time.
#pragma once
#include <chrono>

namespace yoke {

/// Measures seconds since it was made or last reset, by the monotonic clock.
class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  /// The seconds since the start, which is now again.
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const double elapsed = std::chrono::duration<double>(now - start_).count();
    start_ = now;
    return elapsed;
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace yoke
