#include "yoke/engine/compiled/layers/convolution.h"

#include <fmt/format.h>

#include "yoke/engine/compiled/layers/depthwise_convolution.h"
#include "yoke/engine/compiled/layers/narrow_convolution.h"
#include "yoke/engine/compiled/layers/winograd_choice.h"
#include "yoke/engine/compiled/layers/winograd_convolution.h"
#include "yoke/engine/compiled/layers/winograd_narrow_convolution.h"

namespace yoke::compiled {
namespace {

using dnnl::memory;

class ConvolutionPlan final : public LayerPlan {
 public:
  explicit ConvolutionPlan(const Convolution& layer) : layer_(layer) {}
  void forward(Builder& builder) override;
  void backward(Builder& builder) override;

 private:
  memory::desc any_weights(Builder& builder) const {
    return {layer_.kernel, builder.type(), memory::format_tag::any};
  }
  memory::desc any(Builder& builder, const ImageShape& shape) const {
    return describe_any(builder.batch(), shape, builder.type());
  }
  memory::dims bias_dims() const { return {layer_.output_shape.channels}; }
  memory::desc bias_desc() const {
    return layer_.bias ? contiguous_desc(bias_dims()) : memory::desc();
  }
  void backward_weights(Builder& builder, const Tensor& gradient);
  void backward_data(Builder& builder, const Tensor& gradient);

  const Convolution& layer_;
  dnnl::convolution_forward::primitive_desc description_;
  ConvolutionWay way_ = ConvolutionWay::kDirect;
  std::optional<NarrowWinograd> narrow_;
  Tensor given_, src_, dst_;
};

/// `tensor` in the format of `desc`.
Tensor in_format(Builder& builder, const Tensor& tensor, const memory::desc& desc) {
  const auto format = format_of(desc, tensor.batch, tensor.shape, builder.type());
  return builder.converted(tensor, format.value_or(Format::kPlain), builder.type());
}

/// Whether one of the formats is none of ours.
bool is_foreign(const memory::desc& desc, Builder& builder, const ImageShape& shape) {
  return !format_of(desc, builder.batch(), shape, builder.type());
}

void ConvolutionPlan::forward(Builder& builder) {
  const Tensor given = given_ = builder.tensor(layer_.inputs[0]);
  const auto make = [&](bool free) {
    const bool keep = !free && given.type == builder.type();
    const auto src = keep ? given.desc() : any(builder, layer_.input_shape);
    const auto with = [&](const memory::desc& from, const memory::desc& to) {
      return onednn::convolution_forward(builder.engine(), builder.training(), from,
                                         any_weights(builder), bias_desc(), to, layer_.windows,
                                         layer_.eltwise());
    };
    auto found = with(src, any(builder, layer_.output_shape));
    if (is_foreign(found.src_desc(), builder, layer_.input_shape) ||
        is_foreign(found.dst_desc(), builder, layer_.output_shape)) {
      found = with(describe(builder.batch(), layer_.input_shape, Format::kPlain, builder.type()),
                   describe(builder.batch(), layer_.output_shape, Format::kPlain, builder.type()));
    }
    return found;
  };
  description_ = prefer_given_formats(make);
  const auto format =
      format_of(description_.dst_desc(), builder.batch(), layer_.output_shape, builder.type());
  way_ = way_of(builder, layer_, description_);
  if (way_ == ConvolutionWay::kWinograd) {
    dst_ = plan_winograd(builder, layer_, given);
    return;
  }
  if (way_ == ConvolutionWay::kNarrowWinograd) {
    dst_ = narrow_.emplace(layer_).plan(builder, given, format == Format::kChannelsLast);
    return;
  }
  src_ = in_format(builder, given, description_.src_desc());
  dst_ = builder.define(layer_.output, *format, builder.type());
  std::unordered_map<int, memory> arguments{
      {DNNL_ARG_SRC, builder.memory(src_)},
      {DNNL_ARG_WEIGHTS,
       builder.weights(layer_.weight, layer_.kernel, description_.weights_desc())},
      {DNNL_ARG_DST, builder.memory(dst_)}};
  if (layer_.bias) {
    arguments[DNNL_ARG_BIAS] = builder.weights(*layer_.bias, bias_dims(), bias_desc());
  }
  builder
      .execute(fmt::format("convolution ({})", description_.impl_info_str()),
               dnnl::convolution_forward(description_), description_.scratchpad_desc(),
               std::move(arguments))
      .flops = layer_.flops() * static_cast<double>(builder.batch());
}

void ConvolutionPlan::backward(Builder& builder) {
  const Tensor gradient = gradient_before(builder, layer_, dst_);
  if (way_ == ConvolutionWay::kWinograd) {
    if (layer_.learns()) plan_winograd_weight_gradient(builder, layer_, given_, gradient);
    if (builder.wants_gradient(layer_.inputs[0])) {
      plan_winograd_data_gradient(builder, layer_, gradient);
    }
    return;
  }
  if (layer_.learns() && way_ == ConvolutionWay::kNarrowWinograd) {
    narrow_->plan_weight_gradient(builder, gradient);
  } else if (layer_.learns() && is_narrow(layer_, gradient)) {
    plan_narrow_weight_gradient(builder, layer_, given_, gradient);
  } else if (layer_.learns()) {
    backward_weights(builder, gradient);
  }
  if (builder.wants_gradient(layer_.inputs[0])) backward_data(builder, gradient);
}

void ConvolutionPlan::backward_weights(Builder& builder, const Tensor& gradient) {
  const memory::desc weights(layer_.kernel, memory::data_type::f32, memory::format_tag::any);
  const auto make = [&](bool free) {
    const bool keep = !free && gradient.type == builder.type();
    const auto with = [&](const memory::desc& src, const memory::desc& diff_dst) {
      return onednn::convolution_backward_weights(builder.engine(), src, weights, bias_desc(),
                                                  diff_dst, layer_.windows, description_);
    };
    auto found = with(free ? any(builder, layer_.input_shape) : src_.desc(),
                      keep ? gradient.desc() : any(builder, layer_.output_shape));
    if (is_foreign(found.src_desc(), builder, layer_.input_shape) ||
        is_foreign(found.diff_dst_desc(), builder, layer_.output_shape)) {
      found = with(describe(builder.batch(), layer_.input_shape, Format::kPlain, builder.type()),
                   describe(builder.batch(), layer_.output_shape, Format::kPlain, builder.type()));
    }
    return found;
  };
  const auto description = prefer_given_formats(make);
  if (is_depthwise(layer_) && is_slow(description)) {
    plan_depthwise_weight_gradient(builder, layer_, src_, gradient);
    return;
  }
  const Tensor src = in_format(builder, src_, description.src_desc());
  const Tensor diff_dst = in_format(builder, gradient, description.diff_dst_desc());
  std::vector<std::pair<int, GradientTarget>> gradients{
      {DNNL_ARG_DIFF_WEIGHTS,
       builder.gradient_of(layer_.weight, layer_.kernel, description.diff_weights_desc())}};
  if (layer_.bias) {
    gradients.emplace_back(DNNL_ARG_DIFF_BIAS,
                           builder.gradient_of(*layer_.bias, bias_dims(), bias_desc()));
  }
  builder
      .execute(fmt::format("weight gradient ({})", description.impl_info_str()),
               dnnl::convolution_backward_weights(description), description.scratchpad_desc(),
               {{DNNL_ARG_SRC, builder.memory(src)}, {DNNL_ARG_DIFF_DST, builder.memory(diff_dst)}},
               std::move(gradients))
      .flops = layer_.flops() * static_cast<double>(builder.batch());
}

void ConvolutionPlan::backward_data(Builder& builder, const Tensor& gradient) {
  const auto make = [&](bool free) {
    const bool keep = !free && gradient.type == builder.type();
    const auto with = [&](const memory::desc& diff_src, const memory::desc& diff_dst) {
      return onednn::convolution_backward_data(builder.engine(), diff_src, any_weights(builder),
                                               diff_dst, layer_.windows, description_);
    };
    auto found = with(free ? any(builder, layer_.input_shape) : src_.desc(),
                      keep ? gradient.desc() : any(builder, layer_.output_shape));
    if (is_foreign(found.diff_src_desc(), builder, layer_.input_shape) ||
        is_foreign(found.diff_dst_desc(), builder, layer_.output_shape)) {
      found = with(describe(builder.batch(), layer_.input_shape, Format::kPlain, builder.type()),
                   describe(builder.batch(), layer_.output_shape, Format::kPlain, builder.type()));
    }
    return found;
  };
  const auto description = prefer_given_formats(make);
  const Tensor diff_dst = in_format(builder, gradient, description.diff_dst_desc());
  const auto format =
      format_of(description.diff_src_desc(), builder.batch(), layer_.input_shape, builder.type());
  const Tensor diff_src = builder.contribute(layer_.inputs[0], *format, builder.type());
  builder
      .execute(fmt::format("data gradient ({})", description.impl_info_str()),
               dnnl::convolution_backward_data(description), description.scratchpad_desc(),
               {{DNNL_ARG_DIFF_DST, builder.memory(diff_dst)},
                {DNNL_ARG_WEIGHTS,
                 builder.weights(layer_.weight, layer_.kernel, description.weights_desc())},
                {DNNL_ARG_DIFF_SRC, builder.memory(diff_src)}})
      .flops = layer_.flops() * static_cast<double>(builder.batch());
}

}  // namespace

PatchGeometry patch_geometry(const Convolution& layer) {
  const auto& [strides, dilation, before, after] = layer.windows;
  return {.image = layer.input_shape,
          .out_height = layer.output_shape.height,
          .out_width = layer.output_shape.width,
          .kernel_height = layer.kernel[layer.kernel.size() - 2],
          .kernel_width = layer.kernel.back(),
          .stride_y = strides[0],
          .stride_x = strides[1],
          .pad_y = before[0],
          .pad_x = before[1],
          .dilation_y = dilation[0] + 1,
          .dilation_x = dilation[1] + 1};
}

std::unique_ptr<LayerPlan> Convolution::plan() const {
  return std::make_unique<ConvolutionPlan>(*this);
}

}  // namespace yoke::compiled
