// yoke/parallel/sharding/sharded_optimizer.h: an optimizer of all parameters, each rank's of its
// part.
#pragma once
#include <memory>

#include "yoke/optim/optimizer.h"
#include "yoke/parallel/sharding/sharded_state.h"

namespace yoke {

/// An optimizer of all parameters, of which this rank moves its part by what `make` returns;
/// `shards` must outlive it. Each step() ends with whole parameters on all ranks, and so begins
/// each call of its objective, which leaves the gradient of this rank's part. Its state() is that
/// of ShardedState. @throws UsageError as that does.
std::unique_ptr<Optimizer> make_sharded_optimizer(const MakePart& make, Shards& shards);

}  // namespace yoke
