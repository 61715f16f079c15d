// yoke/models/activation.h: what models put after a layer.
#pragma once
#include <torch/types.h>

namespace yoke {

/// A function of each number, as torch::relu.
using Activation = torch::Tensor (*)(const torch::Tensor&);

}  // namespace yoke
