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

}  // namespace yoke::compiled
