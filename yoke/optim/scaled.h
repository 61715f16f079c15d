// yoke/optim/scaled.h: an optimizer around gradients of losses that were scaled.
#pragma once
#include <memory>

#include "yoke/optim/loss_scaler.h"
#include "yoke/optim/optimizer.h"

namespace yoke {

/// Divides the gradient of `shard` by `scale`, in place, in one pass over memory; whether all of it
/// is finite then, in all parts. On a GPU this waits for the gradient.
bool unscale_gradient(const Shard& shard, double scale);

/// The optimizer that `text` names for gradients of losses that were multiplied by the scale of
/// `scaler`: it sees them unscaled, and takes no step where one is not finite. Ranks whose
/// gradients are equal, or parts of one, decide alike. `scaler` must outlive it; null where losses
/// are not scaled. @throws UsageError as make_optimizer(), and for one that is not of the first
/// order.
std::unique_ptr<Optimizer> make_optimizer(std::string_view text, const Shard& shard,
                                          LossScaler* scaler);

}  // namespace yoke
