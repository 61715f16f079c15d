// yoke/engine/compiled/layers/winograd_narrow_convolution.h: convolutions of grey or coloured
// images by Winograd's tiles, without matrices in memory.
#pragma once
#include "yoke/engine/compiled/builder.h"
#include "yoke/engine/compiled/kernels/winograd_narrow.h"
#include "yoke/engine/compiled/layers/convolution.h"

namespace yoke::compiled {

/// The passes of one layer in a plan.
class NarrowWinograd {
 public:
  explicit NarrowWinograd(const Convolution& layer);

  /// Plans the layer with its activation; returns its result, with channels last or in blocks.
  Tensor plan(Builder& builder, const Tensor& input, bool channels_last);

  /// Plans what `gradient`, of the result before the activation, is for weight and bias.
  void plan_weight_gradient(Builder& builder, const Tensor& gradient);

 private:
  const Convolution& layer_;
  NarrowTiles tiles_;
  Buffer* seen_ = nullptr;  ///< From the forward to the backward pass.
};

}  // namespace yoke::compiled
