// yoke/engine/trace.h: a model as a graph of operators.
#pragma once
#include <torch/types.h>

#include <memory>

#include "yoke/models/model.h"

namespace torch::jit {
struct Graph;
}

namespace yoke {

/// Records the operators that `model` runs on `example`, fp32 [N, C, H, W], in its current mode
/// (training or evaluation). The graph's inputs are `input`, then every parameter, then every
/// buffer under its name in the module; each tensor's type has its dtype and shape. Leaves the
/// model and torch's default random generator as they were. @throws Error when the model cannot be
/// traced.
std::shared_ptr<torch::jit::Graph> trace(const Model& model, const torch::Tensor& example);

}  // namespace yoke
