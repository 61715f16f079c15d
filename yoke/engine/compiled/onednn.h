// yoke/engine/compiled/onednn.h: how primitives are described; all that differs between oneDNN 2
// and 3 is in onednn.cpp.
#pragma once
#include <oneapi/dnnl/dnnl.hpp>

namespace yoke::onednn {

using dnnl::memory;

/// Where the windows of a convolution lie; `dilation` is 0 for dense windows, as in oneDNN.
struct Windows {
  memory::dims strides, dilation, padding_left, padding_right;
};

/// The sizes of what `description` describes.
memory::dims dims_of(const memory::desc& description);

/// The type of its numbers.
memory::data_type type_of(const memory::desc& description);

/// An element-wise function in oneDNN's terms.
struct Eltwise {
  dnnl::algorithm algorithm;
  float alpha = 0;
  float beta = 0;
};

/// x * min(max(x + 3, 0), 6) / 6 (Howard et al. 2019).
Eltwise hard_swish();

/// Attributes of every primitive: the caller gives the scratchpad; `eltwise`, where it is not null,
/// is applied to the result.
dnnl::primitive_attr attributes(const Eltwise* eltwise = nullptr);

// Primitive descriptions. An empty `bias` means none. Each throws dnnl::error where oneDNN has no
// implementation.
dnnl::convolution_forward::primitive_desc convolution_forward(
    const dnnl::engine& engine, bool training, const memory::desc& src, const memory::desc& weights,
    const memory::desc& bias, const memory::desc& dst, const Windows& windows,
    const Eltwise* eltwise);
dnnl::convolution_backward_data::primitive_desc convolution_backward_data(
    const dnnl::engine& engine, const memory::desc& diff_src, const memory::desc& weights,
    const memory::desc& diff_dst, const Windows& windows,
    const dnnl::convolution_forward::primitive_desc& forward);
dnnl::convolution_backward_weights::primitive_desc convolution_backward_weights(
    const dnnl::engine& engine, const memory::desc& src, const memory::desc& diff_weights,
    const memory::desc& diff_bias, const memory::desc& diff_dst, const Windows& windows,
    const dnnl::convolution_forward::primitive_desc& forward);

dnnl::inner_product_forward::primitive_desc inner_product_forward(
    const dnnl::engine& engine, bool training, const memory::desc& src, const memory::desc& weights,
    const memory::desc& bias, const memory::desc& dst, const Eltwise* eltwise);
dnnl::inner_product_backward_data::primitive_desc inner_product_backward_data(
    const dnnl::engine& engine, const memory::desc& diff_src, const memory::desc& weights,
    const memory::desc& diff_dst, const dnnl::inner_product_forward::primitive_desc& forward);
dnnl::inner_product_backward_weights::primitive_desc inner_product_backward_weights(
    const dnnl::engine& engine, const memory::desc& src, const memory::desc& diff_weights,
    const memory::desc& diff_bias, const memory::desc& diff_dst,
    const dnnl::inner_product_forward::primitive_desc& forward);

dnnl::batch_normalization_forward::primitive_desc batch_norm_forward(
    const dnnl::engine& engine, bool training, const memory::desc& data, float epsilon,
    dnnl::normalization_flags flags);
/// Whether the gradient of batch norm is given the shift, which version 3 refuses.
bool batch_norm_gradient_takes_shift();
dnnl::batch_normalization_backward::primitive_desc batch_norm_backward(
    const dnnl::engine& engine, bool affine, const memory::desc& data, float epsilon,
    dnnl::normalization_flags flags,
    const dnnl::batch_normalization_forward::primitive_desc& forward);

/// With scale and shift, for training; `data` is [rows, channels].
dnnl::layer_normalization_forward::primitive_desc layer_norm_forward(const dnnl::engine& engine,
                                                                     const memory::desc& data,
                                                                     float epsilon);
dnnl::layer_normalization_backward::primitive_desc layer_norm_backward(
    const dnnl::engine& engine, const memory::desc& data, float epsilon,
    const dnnl::layer_normalization_forward::primitive_desc& forward);

dnnl::eltwise_forward::primitive_desc eltwise_forward(const dnnl::engine& engine, bool training,
                                                      const memory::desc& data,
                                                      const Eltwise& eltwise);
dnnl::eltwise_backward::primitive_desc eltwise_backward(
    const dnnl::engine& engine, const memory::desc& data, const Eltwise& eltwise,
    const dnnl::eltwise_forward::primitive_desc& forward);

dnnl::matmul::primitive_desc matmul(const dnnl::engine& engine, const memory::desc& a,
                                    const memory::desc& b, const memory::desc& product,
                                    const Eltwise* eltwise = nullptr);
/// Adds the product to what is there.
dnnl::matmul::primitive_desc matmul_adding(const dnnl::engine& engine, const memory::desc& a,
                                           const memory::desc& b, const memory::desc& product);

/// Over the last dimension of `data`, for training.
dnnl::softmax_forward::primitive_desc softmax_forward(const dnnl::engine& engine,
                                                      const memory::desc& data);
dnnl::softmax_backward::primitive_desc softmax_backward(
    const dnnl::engine& engine, const memory::desc& data,
    const dnnl::softmax_forward::primitive_desc& forward);

dnnl::concat::primitive_desc concat(const dnnl::engine& engine, const memory::desc& dst,
                                    const std::vector<memory::desc>& parts);

}  // namespace yoke::onednn
