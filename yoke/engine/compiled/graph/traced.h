// yoke/engine/compiled/graph/traced.h: the traced graph that layers are made of, and what it
// computes.
#pragma once
#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <vector>

#include "yoke/models/model.h"

namespace yoke::compiled {

using TracedGraph = std::shared_ptr<torch::jit::Graph>;

/// Images of the traced batch: more than one, for batch norm; rarely the size of anything else.
inline constexpr std::int64_t kTracedImages = 3;

/// What `model` does with kTracedImages images. @throws UnsupportedModel where no layers can stand
/// for it
TracedGraph traced_graph(const Model& model, bool training);

/// A copy whose dropouts and noise let everything pass.
TracedGraph without_dropout(const TracedGraph& graph);

/// A copy that ends after node `end`, whose result [N, ...] it gives as [N, elements]; null where
/// that is no such tensor.
TracedGraph beginning_of(const TracedGraph& graph, std::size_t end);

/// What LibTorch's own operators give for `inputs`: images, then every parameter and every buffer.
/// Some of these buffers change.
torch::Tensor run_graph(const TracedGraph& graph, const std::vector<torch::Tensor>& inputs);

}  // namespace yoke::compiled
