// yoke/engine/compiled/layers/winograd_convolution.h: convolutions of 3x3 with a quarter of the
// products (Lavin and Gray 2016), a block of tiles at a time: transform, 36 products of matrices by
// oneDNN, transform back.
#pragma once
#include "yoke/engine/compiled/builder.h"
#include "yoke/engine/compiled/layers/convolution.h"

namespace yoke::compiled {

/// Whether `layer` can be computed so: 3x3 with stride 1, without groups and dilation, of multiples
/// of 16 channels.
bool allows_winograd(const Convolution& layer);

/// Whether that is so of a convolution in `graph`.
bool has_winograd(const LayerGraph& graph);

/// Whether that is faster, in fp32, than directly in `type` by vector instructions, for a run of so
/// many images, by count.
bool winograd_pays(const Convolution& layer, std::int64_t images, dnnl::memory::data_type type);

/// Whether oneDNN has fast code here for the products.
bool has_fast_products(const dnnl::engine& engine, const Convolution& layer, std::int64_t images);

/// Plans the layer with its activation; returns its result.
Tensor plan_winograd(Builder& builder, const Convolution& layer, const Tensor& input);

/// Plans what `gradient`, of the result before the activation, is for the input.
void plan_winograd_data_gradient(Builder& builder, const Convolution& layer,
                                 const Tensor& gradient);

/// Likewise for weight and bias.
void plan_winograd_weight_gradient(Builder& builder, const Convolution& layer, const Tensor& input,
                                   const Tensor& gradient);

}  // namespace yoke::compiled
