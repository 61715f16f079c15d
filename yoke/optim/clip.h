// yoke/optim/clip.h: gradient clipping around any optimizer.
#pragma once
#include <memory>

#include "yoke/optim/optimizer.h"

namespace yoke {

/// Makes the gradient of `shard` shorter, in place, where its Euclidean norm over all parts is
/// above `most`: times most / (norm + 1e-6), as PyTorch's clip_grad_norm_ (Pascanu et al. 2013,
/// algorithm 1). One that is not finite stays so.
void clip_gradient(const Shard& shard, double most);

/// `optimizer` with each gradient clipped to the norm `most` before it sees it.
std::unique_ptr<Optimizer> make_clipped(std::unique_ptr<Optimizer> optimizer, const Shard& shard,
                                        double most);

}  // namespace yoke
