// yoke/parallel/sharded_optimizer.h: an optimizer of all parameters, each rank's of its part.
#pragma once
#include <functional>
#include <memory>

#include "yoke/optim/optimizer.h"
#include "yoke/parallel/shards.h"

namespace yoke {

/// Makes the optimizer of a part, which may be empty.
using MakePart = std::function<std::unique_ptr<Optimizer>(const Shard& shard)>;

/// An optimizer of all parameters, of which this rank moves its part by what `make` returns;
/// `shards` must outlive it. Each step() ends with whole parameters on all ranks, and so begins
/// each call of its objective, which leaves the gradient of this rank's part. Its state() is that
/// of an optimizer of all parameters, whole on rank 0 until Shards::forget(); after it was set on
/// all ranks, Shards::put_back() takes it over.
/// @throws UsageError where state is neither cut along its last dimension nor the same for all
/// parts.
std::unique_ptr<Optimizer> make_sharded_optimizer(const MakePart& make, Shards& shards);

}  // namespace yoke
