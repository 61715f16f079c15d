// yoke/optim/frozen.h: parameters that no optimizer moves.
#pragma once
#include <memory>

#include "yoke/optim/optimizer.h"

namespace yoke {

/// `optimizer`, which moves the parameters of `shard`, with frozen ones left as they are: it sees
/// zeros in their place, values and gradients, and so has no state of them. Where none is frozen it
/// is `optimizer` itself.
std::unique_ptr<Optimizer> leave_frozen(std::unique_ptr<Optimizer> optimizer, const Shard& shard);

}  // namespace yoke
