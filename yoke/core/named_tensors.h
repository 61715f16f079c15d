// yoke/core/named_tensors.h: tensors by name, in an order.
#pragma once
#include <torch/types.h>

#include <string>
#include <utility>
#include <vector>

namespace yoke {

/// Tensors by name, in the order in which their owner lists them.
using NamedTensors = std::vector<std::pair<std::string, torch::Tensor>>;

}  // namespace yoke
