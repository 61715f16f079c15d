#include "yoke/parallel/workers/step_pool.h"

#include <fmt/format.h>

#include "yoke/comm/received.h"

namespace yoke {

StepPool::StepPool(const Group& group, std::int64_t number, std::int64_t size)
    : store_(group.store), key_(fmt::format("steps/{}", number)), size_(size) {}

std::optional<std::int64_t> StepPool::take() {
  const std::int64_t taken = add(1);
  if (taken < 1) {
    throw Garbled(fmt::format(
        "the ranks' store counts {} steps as taken after another one, at '{}'; expected 1 or more",
        taken, key_));
  }
  return taken <= size_ ? std::optional(taken - 1) : std::nullopt;
}

void StepPool::close() { add(size_); }

std::int64_t StepPool::add(std::int64_t steps) {
  return store_ ? store_->add(key_, steps) : taken_ += steps;
}

}  // namespace yoke
