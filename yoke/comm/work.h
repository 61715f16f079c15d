// yoke/comm/work.h: an operation under way.
#pragma once
#include <ATen/record_function.h>

#include <functional>
#include <utility>

namespace yoke {

/// A handle on an operation that was started.
class [[nodiscard]] Work {
 public:
  /// Nothing to wait for.
  Work() = default;
  /// `wait` may be called several times; it throws CommError when the operation failed.
  explicit Work(std::function<void()> wait) : wait_(std::move(wait)) {}

  /// Waits until the operation's output may be read and its input changed.
  /// @throws CommError when it failed.
  void wait() const {
    if (!wait_) return;
    RECORD_USER_SCOPE("wait for other ranks");
    wait_();
  }

 private:
  std::function<void()> wait_;
};

}  // namespace yoke
