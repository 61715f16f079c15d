// yoke/parallel/workers/step_pool.h: steps that ranks take as each is ready.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "yoke/comm/rendezvous/group.h"

namespace yoke {

/// So many steps for all ranks of a group together.
class StepPool {
 public:
  /// `number` tells the pools of a run apart. All ranks make it alike.
  StepPool(const Group& group, std::int64_t number, std::int64_t size);

  /// The next step that no rank has taken, in [0, size); nothing once all are taken.
  /// @throws Garbled where what others count in the store is no number of steps.
  std::optional<std::int64_t> take();

  /// Leaves nothing to take, for any rank.
  void close();

 private:
  std::int64_t add(std::int64_t steps);

  const std::shared_ptr<Store> store_;  // null in a group of one
  const std::string key_;
  const std::int64_t size_;
  std::int64_t taken_ = 0;  // without a store
};

}  // namespace yoke
