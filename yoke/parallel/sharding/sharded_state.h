// yoke/parallel/sharding/sharded_state.h: an optimizer of one part, and its state as one of all
// parameters.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "yoke/core/named_tensors.h"
#include "yoke/optim/optimizer.h"
#include "yoke/parallel/sharding/shards.h"

namespace yoke {

/// Makes the optimizer of a part, which may be empty.
using MakePart = std::function<std::unique_ptr<Optimizer>(const Shard& shard)>;

/// Owns what `make` returns for a part of the parameters.
class ShardedState {
 public:
  /// `part` is what this rank has of `shards`, which must outlive it. @throws UsageError where
  /// state is neither cut along its last dimension nor the same for all parts.
  ShardedState(const MakePart& make, const Shard& part, Shards& shards);

  Optimizer& part() const { return *part_; }
  /// As of an optimizer of all parameters, a copy that is whole on rank 0; what it is set to on all
  /// ranks, Shards::put_back() takes over. All ranks call it alike.
  NamedTensors whole();

 private:
  Shards& shards_;
  const std::unique_ptr<Optimizer> part_;
  std::vector<bool> cut_;  // by tensor of the part's state
};

}  // namespace yoke
