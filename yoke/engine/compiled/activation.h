// yoke/engine/compiled/activation.h: element-wise functions of a network.
#pragma once
#include "yoke/engine/compiled/graph/layer_graph.h"
#include "yoke/engine/compiled/onednn.h"

namespace yoke::compiled {

/// An element-wise function.
struct Activation {
  onednn::Eltwise eltwise;
  /// Whether the gradient follows from the result alone, so that the input need not be kept.
  bool from_result = false;

  bool is_relu() const {
    return eltwise.algorithm == dnnl::algorithm::eltwise_relu && eltwise.alpha == 0;
  }
  /// ReLU and leaky ReLU: the sign of the result decides the gradient.
  bool is_mask() const {
    return eltwise.algorithm == dnnl::algorithm::eltwise_relu && eltwise.alpha >= 0;
  }
};

/// An activation that is a layer of its own.
struct ActivationLayer final : Layer {
  explicit ActivationLayer(const Activation& function) : activation(function) {}
  std::string kind() const override { return "activation"; }
  std::unique_ptr<LayerPlan> plan() const override;

  Activation activation;
};

}  // namespace yoke::compiled
