// yoke/engine/compiled/layers/matrix_layer.h: what convolutions and linear layers share.
#pragma once
#include <optional>

#include "yoke/engine/compiled/activation.h"
#include "yoke/engine/compiled/builder.h"
#include "yoke/engine/compiled/kernels/add.h"

namespace yoke::compiled {

/// Weights, an optional bias and an optional activation on the result.
struct MatrixLayer : Layer {
  ParameterId weight = 0;
  std::optional<ParameterId> bias;
  std::optional<Activation> activation;

  bool has_parameters() const override { return true; }
  bool fuse(const Activation& function) override {
    if (activation || !function.is_mask()) return false;
    activation = function;
    return true;
  }
  const onednn::Eltwise* eltwise() const { return activation ? &activation->eltwise : nullptr; }
};

/// The gradient of a layer's result, before its activation.
inline Tensor gradient_before(Builder& builder, const MatrixLayer& layer, const Tensor& result) {
  const Tensor gradient = builder.gradient(layer.output);
  if (!layer.activation) return gradient;
  const Tensor given = builder.converted(gradient, result.format, result.type);
  const Tensor masked =
      given.shared ? builder.temporary(result.shape, result.format, result.type) : given;
  const float slope = layer.activation->eltwise.alpha;
  builder.use(given);
  builder.use(result);
  builder.use(masked);
  builder.add("relu", [given, result, slope, masked](const MicroBatch&) {
    relu_backward(given, result, slope, masked);
  });
  return masked;
}

}  // namespace yoke::compiled
