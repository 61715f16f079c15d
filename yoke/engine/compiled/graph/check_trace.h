// yoke/engine/compiled/graph/check_trace.h: finds in traced graphs what no layers can stand for.
#pragma once
#include <torch/csrc/jit/ir/ir.h>

#include <string>

namespace yoke::compiled {

/// Throws that the model does not compile because of `node`, and `why`. @throws UnsupportedModel
[[noreturn]] void refuse(const torch::jit::Node& node, const std::string& why);

/// Refuses operators in place where the same memory, of what is computed from images, is read later
/// under another name: layers give each result memory of its own. @throws UnsupportedModel
void refuse_changed_views(const torch::jit::Graph& graph);

/// Refuses a model of which two forward passes did different things: it goes by counters or random
/// numbers of its own, which a trace fixes. @throws UnsupportedModel
void refuse_differences(const torch::jit::Graph& first, const torch::jit::Graph& second);

}  // namespace yoke::compiled
