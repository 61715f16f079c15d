// yoke/comm/shared/arena.h: tensors that every rank of the host sees.
#pragma once
#include <torch/types.h>

#include <vector>

#include "yoke/comm/shared/segment.h"

namespace yoke::shared {

/// Tensors in segments. All ranks allocate alike.
class Arena {
 public:
  explicit Arena(const Group& group) : group_(group) {}

  /// Zeros, fp32 [elements]; may outlive the arena. @throws NoSharedMemory on all ranks.
  torch::Tensor allocate(std::int64_t elements);
  /// Where `bytes` at `data` lie in the memory of each rank; empty unless they are of the arena.
  std::vector<std::byte*> everywhere(const void* data, std::size_t bytes) const;

 private:
  const Group group_;
  int attempts_ = 0;
  std::vector<Segments> allocated_;
};

}  // namespace yoke::shared
