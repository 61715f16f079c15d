// yoke/comm/work.h: an operation under way.
#pragma once
#include <functional>
#include <future>
#include <utility>

namespace yoke {

/// A handle on an operation that was started.
class [[nodiscard]] Work {
 public:
  /// Nothing to wait for.
  Work() = default;
  explicit Work(std::shared_future<void> done) : done_(std::move(done)) {}

  /// Waits until the operation's output may be read and its input changed.
  /// @throws CommError when it failed.
  void wait() const {
    if (done_.valid()) done_.get();
  }

 private:
  std::shared_future<void> done_;
};

}  // namespace yoke
