// yoke/optim/adamw.cpp: Adam with decoupled weight decay (Loshchilov and Hutter, ICLR 2019).
#include "yoke/optim/adam.h"

namespace yoke {

std::unique_ptr<Optimizer> make_adamw(const Shard& shard, Options& options) {
  return std::make_unique<Adam>(shard.parameters, options, WeightDecay::kDecoupled, 0.01);
}

}  // namespace yoke
