// yoke/engine/compiled/layers/linear.cpp: a fully connected layer with bias and ReLU.
#include <fmt/format.h>

#include "yoke/engine/compiled/graph/lowering.h"
#include "yoke/engine/compiled/layers/convolution.h"
#include "yoke/engine/compiled/layers/matrix_layer.h"

namespace yoke::compiled {
namespace {

using dnnl::memory;

struct Linear final : MatrixLayer {
  std::int64_t in = 0, out = 0;

  std::string kind() const override { return "linear"; }
  double flops() const override { return 2 * static_cast<double>(in * out); }
  std::unique_ptr<LayerPlan> plan() const override;
};

/// [N, F], or [N, C, H, W] where the features are those of an image, in whose format they lie.
memory::desc features_desc(const Tensor& tensor, memory::data_type type) {
  if (tensor.area() > 1) return describe(tensor.batch, tensor.shape, tensor.format, type);
  return {{tensor.batch, tensor.shape.channels}, type, memory::format_tag::nc};
}

class LinearPlan final : public LayerPlan {
 public:
  explicit LinearPlan(const Linear& layer) : layer_(layer) {}
  void forward(Builder& builder) override;
  void backward(Builder& builder) override;

 private:
  memory::dims weight_dims() const {
    if (src_.area() == 1) return {layer_.out, layer_.in};
    return {layer_.out, src_.shape.channels, src_.shape.height, src_.shape.width};
  }
  memory::desc any_weights(memory::data_type type) const {
    return {weight_dims(), type, memory::format_tag::any};
  }
  memory::dims bias_dims() const { return {layer_.out}; }
  memory::desc bias_desc() const {
    return layer_.bias ? contiguous_desc(bias_dims()) : memory::desc();
  }
  void describe_forward(Builder& builder, memory::data_type dst_type);
  void backward_weights(Builder& builder, const Tensor& gradient);
  void backward_data(Builder& builder, const Tensor& gradient);

  const Linear& layer_;
  dnnl::inner_product_forward::primitive_desc description_;
  Tensor src_, dst_;
};

void LinearPlan::describe_forward(Builder& builder, memory::data_type dst_type) {
  description_ = onednn::inner_product_forward(
      builder.engine(), builder.training(), features_desc(src_, builder.type()),
      any_weights(builder.type()), bias_desc(),
      {{builder.batch(), layer_.out}, dst_type, memory::format_tag::nc}, layer_.eltwise());
}

void LinearPlan::forward(Builder& builder) {
  src_ = builder.tensor(layer_.inputs[0]);
  src_ = builder.converted(src_, src_.area() == 1 ? Format::kPlain : src_.format, builder.type());
  const bool last = builder.is_output(layer_.output);
  const auto dst_type = last ? memory::data_type::f32 : builder.type();
  describe_forward(builder, dst_type);
  if (is_slow(description_) && src_.format != Format::kPlain) {
    Tensor plain = builder.converted(src_, Format::kPlain, builder.type());
    plain.shape = {layer_.in, 1, 1};
    src_ = plain;
    describe_forward(builder, dst_type);
  }
  dst_ = builder.define(layer_.output, Format::kPlain, dst_type);
  std::unordered_map<int, memory> arguments{
      {DNNL_ARG_SRC, builder.memory(description_.src_desc(), src_.buffer)},
      {DNNL_ARG_WEIGHTS,
       builder.weights(layer_.weight, weight_dims(), description_.weights_desc())},
      {DNNL_ARG_DST, builder.memory(description_.dst_desc(), dst_.buffer)}};
  if (layer_.bias) {
    arguments[DNNL_ARG_BIAS] = builder.weights(*layer_.bias, bias_dims(), bias_desc());
  }
  builder
      .execute(fmt::format("linear ({})", description_.impl_info_str()),
               dnnl::inner_product_forward(description_), description_.scratchpad_desc(),
               std::move(arguments))
      .flops = layer_.flops() * static_cast<double>(builder.batch());
}

void LinearPlan::backward(Builder& builder) {
  const Tensor gradient =
      builder.converted(gradient_before(builder, layer_, dst_), Format::kPlain, builder.type());
  if (layer_.learns()) backward_weights(builder, gradient);
  if (builder.wants_gradient(layer_.inputs[0])) backward_data(builder, gradient);
}

void LinearPlan::backward_weights(Builder& builder, const Tensor& gradient) {
  const auto description = onednn::inner_product_backward_weights(
      builder.engine(), features_desc(src_, builder.type()), any_weights(memory::data_type::f32),
      bias_desc(), features_desc(gradient, builder.type()), description_);
  std::vector<std::pair<int, GradientTarget>> gradients{
      {DNNL_ARG_DIFF_WEIGHTS,
       builder.gradient_of(layer_.weight, weight_dims(), description.diff_weights_desc())}};
  if (layer_.bias) {
    gradients.emplace_back(DNNL_ARG_DIFF_BIAS,
                           builder.gradient_of(*layer_.bias, bias_dims(), bias_desc()));
  }
  builder
      .execute(fmt::format("weight gradient ({})", description.impl_info_str()),
               dnnl::inner_product_backward_weights(description), description.scratchpad_desc(),
               {{DNNL_ARG_SRC, builder.memory(description.src_desc(), src_.buffer)},
                {DNNL_ARG_DIFF_DST, builder.memory(description.diff_dst_desc(), gradient.buffer)}},
               std::move(gradients))
      .flops = layer_.flops() * static_cast<double>(builder.batch());
}

void LinearPlan::backward_data(Builder& builder, const Tensor& gradient) {
  const auto description = onednn::inner_product_backward_data(
      builder.engine(), features_desc(src_, builder.type()), any_weights(builder.type()),
      features_desc(gradient, builder.type()), description_);
  const Tensor diff_src = builder.contribute(layer_.inputs[0], src_.format, builder.type());
  builder
      .execute(fmt::format("data gradient ({})", description.impl_info_str()),
               dnnl::inner_product_backward_data(description), description.scratchpad_desc(),
               {{DNNL_ARG_DIFF_DST, builder.memory(description.diff_dst_desc(), gradient.buffer)},
                {DNNL_ARG_WEIGHTS,
                 builder.weights(layer_.weight, weight_dims(), description.weights_desc())},
                {DNNL_ARG_DIFF_SRC, builder.memory(description.diff_src_desc(), diff_src.buffer)}})
      .flops = layer_.flops() * static_cast<double>(builder.batch());
}

std::unique_ptr<LayerPlan> Linear::plan() const { return std::make_unique<LinearPlan>(*this); }

}  // namespace

namespace {

/// Over the last dimension, where channels are: a convolution of single pixels.
void add_linear_of_pixels(Lowering& lowering, ValueId input, ParameterId weight,
                          std::optional<ParameterId> bias) {
  auto layer = std::make_unique<Convolution>();
  const auto shape = lowering.parameter_shape(weight);
  layer->weight = weight;
  layer->bias = bias;
  layer->input_shape = layer->output_shape = lowering.shape_of(input).shape;
  layer->output_shape.channels = shape[0];
  layer->kernel = {shape[0], shape[1], 1, 1};
  layer->windows = {{1, 1}, {0, 0}, {0, 0}, {0, 0}};
  const ImageShape out = layer->output_shape;
  lowering.add(std::move(layer), {input}, {out, false}, lowering.module_of(weight));
  lowering.show(Order::kChannelsLast);
}

void add_linear(Lowering& lowering, std::size_t argument, ParameterId weight,
                std::optional<ParameterId> bias) {
  const ValueId input = lowering.value_in_any_order(argument);
  if (lowering.order_of(argument) == Order::kChannelsLast) {
    return add_linear_of_pixels(lowering, input, weight, bias);
  }
  if (lowering.output_sizes().size() != 2) lowering.unsupported("its input is not [N, features]");
  auto layer = std::make_unique<Linear>();
  const auto shape = lowering.parameter_shape(weight);
  layer->weight = weight;
  layer->bias = bias;
  layer->out = shape[0];
  layer->in = shape[1];
  const std::int64_t out = layer->out;
  lowering.add(std::move(layer), {input}, {{out, 1, 1}, false}, lowering.module_of(weight));
}

}  // namespace

// aten::linear(input, weight, bias), or of a transposed weight: aten::addmm(bias, input, weight,
// beta, alpha), aten::matmul(input, weight)
void lower_linear(Lowering& lowering) {
  if (lowering.op() == "aten::linear") {
    add_linear(lowering, 0, lowering.parameter(1).value(), lowering.parameter(2));
  } else if (lowering.op() == "aten::matmul") {
    add_linear(lowering, 0, lowering.transposed_parameter(1), std::nullopt);
  } else {
    if (lowering.number(3) != 1 || lowering.number(4) != 1) lowering.unsupported("it is scaled");
    add_linear(lowering, 1, lowering.transposed_parameter(2), lowering.parameter(0));
  }
}

void lower_transpose(Lowering& lowering) { lowering.transpose(0); }

}  // namespace yoke::compiled
