// yoke/data/ordered_queue.h: results of numbered jobs, made by several threads, taken in order.
#pragma once
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

namespace yoke {

/// Hands out the job numbers [first, last) and gives back their results in that order to one
/// consumer; at most `capacity` jobs are begun beyond what was taken.
template <typename Result>
class OrderedQueue {
 public:
  OrderedQueue(std::int64_t first, std::int64_t last, std::int64_t capacity)
      : begun_(first), taken_(first), last_(last), results_(static_cast<std::size_t>(capacity)) {}

  /// The next job, as soon as there is room for its result; nothing when none is left or `stop`.
  std::optional<std::int64_t> begin(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    room_.wait(lock, stop, [&] { return begun_ == last_ || begun_ - taken_ < capacity(); });
    if (stop.stop_requested() || begun_ == last_) return std::nullopt;
    return begun_++;
  }

  /// Stores the result of a job that was begun.
  void put(std::int64_t job, Result result) {
    const std::lock_guard lock(mutex_);
    place(job) = std::move(result);
    if (job == taken_) ready_.notify_one();
  }

  /// Takes the next result, waiting for it where it is not there; only while jobs are left.
  Result take() {
    std::unique_lock lock(mutex_);
    std::optional<Result>& next = place(taken_);
    if (!next) {
      const auto start = std::chrono::steady_clock::now();
      ready_.wait(lock, [&] { return next.has_value(); });
      waited_ += std::chrono::steady_clock::now() - start;
    }
    Result result = std::move(*next);
    next.reset();
    ++taken_;
    room_.notify_one();
    return result;
  }

  /// How long take() has waited in all. For the consumer.
  std::chrono::duration<double> waited() const { return waited_; }

 private:
  std::int64_t capacity() const { return static_cast<std::int64_t>(results_.size()); }
  std::optional<Result>& place(std::int64_t job) {
    return results_[static_cast<std::size_t>(job % capacity())];
  }

  std::mutex mutex_;
  std::condition_variable_any room_;  // any: it heeds stop tokens
  std::condition_variable ready_;
  std::int64_t begun_;
  std::int64_t taken_;
  const std::int64_t last_;
  std::vector<std::optional<Result>> results_;
  std::chrono::duration<double> waited_{};
};

}  // namespace yoke
