#include "yoke/engine/compiled/onednn.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "yoke/engine/compiled/onednn_faults.h"

namespace yoke::onednn {
namespace {

using dnnl::engine;
using dnnl::prop_kind;

const auto kScaleAndShift =
    dnnl::normalization_flags::use_scale | dnnl::normalization_flags::use_shift;

prop_kind forward_kind(bool training) {
  return training ? prop_kind::forward_training : prop_kind::forward_inference;
}

/// Where to look for an implementation.
struct Search {
  Search(const engine& on, std::vector<std::string_view> without = {})
      : engine(on), unwanted(std::move(without)) {}

  const dnnl::engine& engine;
  std::vector<std::string_view> unwanted;  ///< Parts of the names of those not to take.
};

/// Goes on to the first wanted implementation, or to the last one.
template <typename Description>
void skip_unwanted(const Search& search, Description& description) {
  const auto is_unwanted = [&] {
    const std::string_view name = description.impl_info_str();
    return std::any_of(search.unwanted.begin(), search.unwanted.end(), [&](std::string_view part) {
      return name.find(part) != std::string_view::npos;
    });
  };
  while (is_unwanted() && description.next_impl()) {
  }
}

// Version 2 gathers what is computed in a `P::desc` first, which must live as long as the search.
template <typename P, typename Hint, typename... Arguments>
typename P::primitive_desc describe_backward(const Search& search, const Hint& hint,
                                             const Arguments&... arguments) {
#if DNNL_VERSION_MAJOR >= 3
  typename P::primitive_desc description(search.engine, arguments..., hint, attributes());
#else
  const typename P::desc computed(arguments...);
  typename P::primitive_desc description(computed, attributes(), search.engine, hint);
#endif
  skip_unwanted(search, description);
  return description;
}

template <typename P, typename... Arguments>
typename P::primitive_desc describe_forward(const Search& search, const Eltwise* eltwise,
                                            const Arguments&... arguments) {
#if DNNL_VERSION_MAJOR >= 3
  typename P::primitive_desc description(search.engine, arguments..., attributes(eltwise));
#else
  const typename P::desc computed(arguments...);
  typename P::primitive_desc description(computed, attributes(eltwise), search.engine);
#endif
  skip_unwanted(search, description);
  return description;
}

}  // namespace

memory::dims dims_of(const memory::desc& description) {
#if DNNL_VERSION_MAJOR >= 3
  return description.get_dims();
#else
  return description.dims();
#endif
}

memory::data_type type_of(const memory::desc& description) {
#if DNNL_VERSION_MAJOR >= 3
  return description.get_data_type();
#else
  return description.data_type();
#endif
}

bool batch_norm_gradient_takes_shift() { return DNNL_VERSION_MAJOR < 3; }

Eltwise hard_swish() {
  // Version 2 has these numbers built in and takes no others.
#if DNNL_VERSION_MAJOR >= 3
  return {dnnl::algorithm::eltwise_hardswish, 1.0F / 6, 0.5F};
#else
  return {dnnl::algorithm::eltwise_hardswish};
#endif
}

dnnl::primitive_attr attributes(const Eltwise* eltwise) {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  if (eltwise != nullptr) {
    dnnl::post_ops operations;
#if DNNL_VERSION_MAJOR >= 3
    operations.append_eltwise(eltwise->algorithm, eltwise->alpha, eltwise->beta);
#else
    operations.append_eltwise(1.0F, eltwise->algorithm, eltwise->alpha, eltwise->beta);
#endif
    attributes.set_post_ops(operations);
  }
  return attributes;
}

dnnl::convolution_forward::primitive_desc convolution_forward(
    const engine& engine, bool training, const memory::desc& src, const memory::desc& weights,
    const memory::desc& bias, const memory::desc& dst, const Windows& windows,
    const Eltwise* eltwise) {
  return describe_forward<dnnl::convolution_forward>(
      Search(engine, faulty_forward(src, weights, windows)), eltwise, forward_kind(training),
      dnnl::algorithm::convolution_direct, src, weights, bias, dst, windows.strides,
      windows.dilation, windows.padding_left, windows.padding_right);
}

dnnl::convolution_backward_data::primitive_desc convolution_backward_data(
    const engine& engine, const memory::desc& diff_src, const memory::desc& weights,
    const memory::desc& diff_dst, const Windows& windows,
    const dnnl::convolution_forward::primitive_desc& forward) {
  return describe_backward<dnnl::convolution_backward_data>(
      Search(engine, faulty_data_gradient(diff_src, weights, windows)), forward,
      dnnl::algorithm::convolution_direct, diff_src, weights, diff_dst, windows.strides,
      windows.dilation, windows.padding_left, windows.padding_right);
}

dnnl::convolution_backward_weights::primitive_desc convolution_backward_weights(
    const engine& engine, const memory::desc& src, const memory::desc& diff_weights,
    const memory::desc& diff_bias, const memory::desc& diff_dst, const Windows& windows,
    const dnnl::convolution_forward::primitive_desc& forward) {
  return describe_backward<dnnl::convolution_backward_weights>(
      Search(engine, faulty_weight_gradient(src, diff_weights, windows)), forward,
      dnnl::algorithm::convolution_direct, src, diff_weights, diff_bias, diff_dst, windows.strides,
      windows.dilation, windows.padding_left, windows.padding_right);
}

dnnl::inner_product_forward::primitive_desc inner_product_forward(
    const engine& engine, bool training, const memory::desc& src, const memory::desc& weights,
    const memory::desc& bias, const memory::desc& dst, const Eltwise* eltwise) {
  return describe_forward<dnnl::inner_product_forward>(engine, eltwise, forward_kind(training), src,
                                                       weights, bias, dst);
}

dnnl::inner_product_backward_data::primitive_desc inner_product_backward_data(
    const engine& engine, const memory::desc& diff_src, const memory::desc& weights,
    const memory::desc& diff_dst, const dnnl::inner_product_forward::primitive_desc& forward) {
  return describe_backward<dnnl::inner_product_backward_data>(engine, forward, diff_src, weights,
                                                              diff_dst);
}

dnnl::inner_product_backward_weights::primitive_desc inner_product_backward_weights(
    const engine& engine, const memory::desc& src, const memory::desc& diff_weights,
    const memory::desc& diff_bias, const memory::desc& diff_dst,
    const dnnl::inner_product_forward::primitive_desc& forward) {
  return describe_backward<dnnl::inner_product_backward_weights>(engine, forward, src, diff_weights,
                                                                 diff_bias, diff_dst);
}

dnnl::batch_normalization_forward::primitive_desc batch_norm_forward(
    const engine& engine, bool training, const memory::desc& data, float epsilon,
    dnnl::normalization_flags flags) {
  return describe_forward<dnnl::batch_normalization_forward>(engine, nullptr,
                                                             forward_kind(training), data,
#if DNNL_VERSION_MAJOR >= 3
                                                             data,
#endif
                                                             epsilon, flags);
}

dnnl::batch_normalization_backward::primitive_desc batch_norm_backward(
    const engine& engine, bool affine, const memory::desc& data, float epsilon,
    dnnl::normalization_flags flags,
    const dnnl::batch_normalization_forward::primitive_desc& forward) {
  return describe_backward<dnnl::batch_normalization_backward>(
      engine, forward, affine ? prop_kind::backward : prop_kind::backward_data, data, data,
#if DNNL_VERSION_MAJOR >= 3
      data,
#endif
      epsilon, flags);
}

dnnl::layer_normalization_forward::primitive_desc layer_norm_forward(const engine& engine,
                                                                     const memory::desc& data,
                                                                     float epsilon) {
  return describe_forward<dnnl::layer_normalization_forward>(engine, nullptr,
                                                             prop_kind::forward_training, data,
#if DNNL_VERSION_MAJOR >= 3
                                                             data,
#endif
                                                             epsilon, kScaleAndShift);
}

dnnl::layer_normalization_backward::primitive_desc layer_norm_backward(
    const engine& engine, const memory::desc& data, float epsilon,
    const dnnl::layer_normalization_forward::primitive_desc& forward) {
  return describe_backward<dnnl::layer_normalization_backward>(engine, forward, prop_kind::backward,
                                                               data, data,
#if DNNL_VERSION_MAJOR >= 3
                                                               data,
#endif
                                                               epsilon, kScaleAndShift);
}

dnnl::eltwise_forward::primitive_desc eltwise_forward(const engine& engine, bool training,
                                                      const memory::desc& data,
                                                      const Eltwise& eltwise) {
  return describe_forward<dnnl::eltwise_forward>(engine, nullptr, forward_kind(training),
                                                 eltwise.algorithm, data,
#if DNNL_VERSION_MAJOR >= 3
                                                 data,
#endif
                                                 eltwise.alpha, eltwise.beta);
}

dnnl::eltwise_backward::primitive_desc eltwise_backward(
    const engine& engine, const memory::desc& data, const Eltwise& eltwise,
    const dnnl::eltwise_forward::primitive_desc& forward) {
  return describe_backward<dnnl::eltwise_backward>(engine, forward, eltwise.algorithm, data, data,
#if DNNL_VERSION_MAJOR >= 3
                                                   data,
#endif
                                                   eltwise.alpha, eltwise.beta);
}

dnnl::matmul::primitive_desc matmul(const engine& engine, const memory::desc& a,
                                    const memory::desc& b, const memory::desc& product,
                                    const Eltwise* eltwise) {
  return describe_forward<dnnl::matmul>(engine, eltwise, a, b, product);
}

dnnl::matmul::primitive_desc matmul_adding(const engine& engine, const memory::desc& a,
                                           const memory::desc& b, const memory::desc& product) {
  dnnl::primitive_attr adding = attributes();
  dnnl::post_ops operations;
  operations.append_sum(1.0F);
  adding.set_post_ops(operations);
#if DNNL_VERSION_MAJOR >= 3
  return {engine, a, b, product, adding};
#else
  return {dnnl::matmul::desc(a, b, product), adding, engine};
#endif
}

dnnl::softmax_forward::primitive_desc softmax_forward(const engine& engine,
                                                      const memory::desc& data) {
  const int last = static_cast<int>(dims_of(data).size()) - 1;
#if DNNL_VERSION_MAJOR >= 3
  return describe_forward<dnnl::softmax_forward>(engine, nullptr, prop_kind::forward_training,
                                                 dnnl::algorithm::softmax_accurate, data, data,
                                                 last);
#else
  return describe_forward<dnnl::softmax_forward>(engine, nullptr, prop_kind::forward_training, data,
                                                 last);
#endif
}

dnnl::softmax_backward::primitive_desc softmax_backward(
    const engine& engine, const memory::desc& data,
    const dnnl::softmax_forward::primitive_desc& forward) {
  const int last = static_cast<int>(dims_of(data).size()) - 1;
#if DNNL_VERSION_MAJOR >= 3
  return describe_backward<dnnl::softmax_backward>(
      engine, forward, dnnl::algorithm::softmax_accurate, data, data, data, last);
#else
  return describe_backward<dnnl::softmax_backward>(engine, forward, data, data, last);
#endif
}

dnnl::concat::primitive_desc concat(const engine& engine, const memory::desc& dst,
                                    const std::vector<memory::desc>& parts) {
#if DNNL_VERSION_MAJOR >= 3
  return {engine, dst, 1, parts, attributes()};
#else
  return {dst, 1, parts, engine, attributes()};
#endif
}

}  // namespace yoke::onednn
