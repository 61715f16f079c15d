// yoke/engine/compiled/layers/narrow_convolution.h: the weight gradient of a convolution of few
// input channels, as a product of matrices.
#pragma once
#include "yoke/engine/compiled/builder.h"
#include "yoke/engine/compiled/layers/convolution.h"

namespace yoke::compiled {

/// Whether plan_narrow_weight_gradient() computes the gradients of `layer` from `gradient`, its
/// output's. oneDNN's code for AMX pads one or three input channels to a whole tile; a product of
/// matrices loses nothing to that, and is up to five times as fast.
bool is_narrow(const Convolution& layer, const Tensor& gradient);

/// Plans the gradients of weight and bias: [patches; ones] * gradient, some images at a time, whose
/// patches stay in the cache. `input` in any format.
void plan_narrow_weight_gradient(Builder& builder, const Convolution& layer, const Tensor& input,
                                 const Tensor& gradient);

}  // namespace yoke::compiled
