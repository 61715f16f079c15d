// yoke/optim/frozen.h: parameters that no optimizer moves.
#pragma once
#include <functional>
#include <memory>

#include "yoke/optim/optimizer.h"

namespace yoke {

/// Makes an optimizer of a shard.
using MakeOptimizer = std::function<std::unique_ptr<Optimizer>(const Shard& shard)>;

/// What `make` makes of `shard`, with frozen parameters left as they are. It does not see those
/// before the first and behind the last that learns where the shard is all there is, and sees zeros
/// in place of others, values and gradients; so it has no state of them. Where none is frozen it is
/// what `make` makes.
std::unique_ptr<Optimizer> leave_frozen(const MakeOptimizer& make, const Shard& shard);

}  // namespace yoke
