// yoke/engine/compiled/layers/winograd_layer.h: what convolutions by Winograd's tiles have in
// common, besides the tiles.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "yoke/engine/compiled/builder.h"
#include "yoke/engine/compiled/layers/convolution.h"

namespace yoke::compiled {

/// What is done to the result of a layer's products.
struct Epilogue {
  const float* bias = nullptr;  ///< [O], where there is one.
  std::optional<float> slope;   ///< Of the activation, where there is one.

  const float* slope_or_null() const { return slope ? &*slope : nullptr; }
};

Epilogue epilogue_of(Builder& builder, const Convolution& layer);

/// Gradients of a layer's weight and, where there is one, bias: fp32 in LibTorch's order.
class ParameterGradients {
 public:
  ParameterGradients(Builder& builder, const Convolution& layer);

  float* weight(bool accumulate) const;
  /// All zeros; null where there is none.
  float* zeroed_bias(bool accumulate) const;
  /// After both were written.
  void finish(bool accumulate, dnnl::stream& stream) const;

 private:
  GradientTarget weight_;
  std::optional<GradientTarget> bias_;
};

/// Adds a pass of `layer` to the plan.
void add_pass(Builder& builder, const Convolution& layer, std::string operation,
              std::function<void(const MicroBatch&)> run);

}  // namespace yoke::compiled
