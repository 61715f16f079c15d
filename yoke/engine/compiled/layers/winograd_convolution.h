// yoke/engine/compiled/layers/winograd_convolution.h: convolutions of 3x3 and 5x5 with fewer
// products (Lavin and Gray 2016), a block of tiles at a time: transform, products of matrices by
// oneDNN, transform back.
#pragma once
#include "yoke/engine/compiled/builder.h"
#include "yoke/engine/compiled/layers/convolution.h"

namespace yoke::compiled {

/// Plans the layer with its activation; returns its result.
Tensor plan_winograd(Builder& builder, const Convolution& layer, const Tensor& input);

/// Plans what `gradient`, of the result before the activation, is for the input.
void plan_winograd_data_gradient(Builder& builder, const Convolution& layer,
                                 const Tensor& gradient);

/// Likewise for weight and bias.
void plan_winograd_weight_gradient(Builder& builder, const Convolution& layer, const Tensor& input,
                                   const Tensor& gradient);

}  // namespace yoke::compiled
