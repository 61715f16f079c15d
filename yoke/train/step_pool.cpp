#include "yoke/train/step_pool.h"

#include <fmt/format.h>

namespace yoke {

StepPool::StepPool(const Group& group, std::int64_t number, std::int64_t size)
    : store_(group.store), key_(fmt::format("steps/{}", number)), size_(size) {}

std::optional<std::int64_t> StepPool::take() {
  const std::int64_t taken = store_ ? store_->add(key_, 1) : ++taken_;
  return taken <= size_ ? std::optional(taken - 1) : std::nullopt;
}

}  // namespace yoke
