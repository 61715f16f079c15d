// yoke/export/node_place.h: where in its model an operator of a trace stands, for messages.
#pragma once
#include <torch/csrc/jit/ir/ir.h>

#include <string>

namespace yoke {

/// `aten::fft in layer1.0.conv1` where the operator takes a tensor of that module; else after which
/// of them it comes, as far as the names of the graph's inputs tell.
std::string describe_place(const torch::jit::Node& node);

}  // namespace yoke
