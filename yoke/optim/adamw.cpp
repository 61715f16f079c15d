// yoke/optim/adamw.cpp: Adam with decoupled weight decay (Loshchilov and Hutter, ICLR 2019).
#include "yoke/optim/adam.h"

namespace yoke {

std::unique_ptr<Optimizer> make_adamw(FlatParameters& parameters, Options& options) {
  return std::make_unique<Adam>(parameters, options, WeightDecay::kDecoupled, 0.01);
}

}  // namespace yoke
