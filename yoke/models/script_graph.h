// yoke/models/script_graph.h: the graph that runs a TorchScript module's `forward`.
#pragma once
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <string>

namespace yoke {

/// The graph of `forward` with all that it calls, where tensors that are attributes keep their
/// memory: what is assigned to one is copied into it. @throws Error unless it takes one tensor.
std::shared_ptr<torch::jit::Graph> forward_graph(const torch::jit::Module& script);

/// What in `graph` a trace would not hold, since it depends on numbers that are known only in a
/// forward pass, or changes from one pass to the next; empty where there is nothing.
std::string untraceable(torch::jit::Graph& graph);

}  // namespace yoke
