// yoke/optim/scaled.h: an optimizer around gradients of losses that were scaled.
#pragma once
#include <memory>

#include "yoke/optim/loss_scaler.h"
#include "yoke/optim/optimizer.h"

namespace yoke {

/// Divides the gradient of `shard` by `scale`, in place, in one pass over memory; whether all of it
/// is finite then, in all parts. On a GPU this waits for the gradient.
bool unscale_gradient(const Shard& shard, double scale);

/// `optimizer` with gradients of losses that were multiplied by the scale of `scaler`: it sees them
/// unscaled, and takes no step where one is not finite. Ranks whose gradients are equal, or parts
/// of one, decide alike. `scaler` must outlive it. @throws UsageError unless first_order().
std::unique_ptr<Optimizer> make_scaled(std::unique_ptr<Optimizer> optimizer, const Shard& shard,
                                       LossScaler& scaler);

}  // namespace yoke
