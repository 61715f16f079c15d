// yoke/optim/optimizers/adamw.cpp: Adam with decoupled weight decay (Loshchilov and Hutter, ICLR
// 2019).
#include "yoke/optim/optimizers/adam.h"

namespace yoke {

OptimizerPlugin adamw_optimizer() {
  return {adam_options({.weight_decay = 0.01}, "shrinks the parameters by lr times this"),
          [](const Shard& shard, const AdamOptions& options) {
            return std::make_unique<Adam>(shard, options, WeightDecay::kDecoupled);
          },
          OptimizerTraits{.default_lr = 1e-3, .can_leave_decay_off = true}};
}

}  // namespace yoke
