// yoke/engine/compiled/layers/reshape.h: other shapes for the same elements of an image.
#pragma once
#include "yoke/engine/compiled/graph/layer_graph.h"

namespace yoke::compiled {

/// Gives the elements of an image, in the order of LibTorch, another shape. A flat result keeps
/// them where they are.
struct Reshape final : Layer {
  std::string kind() const override { return "reshape"; }
  std::unique_ptr<LayerPlan> plan() const override;
};

class Lowering;

/// Whether the node, aten::slice(input, dim, start, end, step), gives all of its input, as
/// `x[:, 0]` begins in Python.
bool is_whole_slice(const Lowering& lowering);

}  // namespace yoke::compiled
