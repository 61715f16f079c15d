// yoke/optim/scaled_rates.h: parameters that move at a part of the learning rate.
#pragma once
#include <memory>

#include "yoke/optim/optimizer.h"

namespace yoke {

/// `optimizer`, which moves the parameters of `shard`, with each parameter moved by its slice's
/// `lr_scale` times as much: what a rate of that much does where a step is proportional to its
/// rate, as it is for all methods of first order. Where all are 1 it is `optimizer` itself.
/// @throws UsageError where one is not and the optimizer is not of first order.
std::unique_ptr<Optimizer> scale_rates(std::unique_ptr<Optimizer> optimizer, const Shard& shard,
                                       bool first_order);

}  // namespace yoke
