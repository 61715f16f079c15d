// yoke/engine/compiled/layers/depthwise_convolution.h: the weight gradient of a convolution whose
// groups are channels.
#pragma once
#include "yoke/engine/compiled/builder.h"
#include "yoke/engine/compiled/layers/convolution.h"

namespace yoke::compiled {

/// Whether each channel is convolved by itself, into one.
bool is_depthwise(const Convolution& layer);

/// Plans the gradients of weight and bias by code of our own, for windows that oneDNN has only
/// products of matrices for: of 7x7 five (fp32) to twelve (bf16) times as fast. `input` and
/// `gradient`, the output's, in any format.
void plan_depthwise_weight_gradient(Builder& builder, const Convolution& layer, const Tensor& input,
                                    const Tensor& gradient);

}  // namespace yoke::compiled
