// yoke/engine/compiled/layers/layer_norm.cpp: layer normalisation (Ba et al. 2016) of the channels
// of each pixel.
#include <fmt/format.h>

#include "yoke/engine/compiled/builder.h"
#include "yoke/engine/compiled/graph/lowering.h"

namespace yoke::compiled {
namespace {

using dnnl::memory;

struct LayerNorm final : Layer {
  ParameterId scale = 0, shift = 0;
  float epsilon = 0;

  std::string kind() const override { return "layer norm"; }
  bool has_parameters() const override { return true; }
  std::unique_ptr<LayerPlan> plan() const override;
};

class LayerNormPlan final : public LayerPlan {
 public:
  explicit LayerNormPlan(const LayerNorm& layer) : layer_(layer) {}
  void forward(Builder& builder) override;
  void backward(Builder& builder) override;

 private:
  memory::dims channel_dims() const { return {src_.shape.channels}; }
  memory::desc channel_desc() const { return contiguous_desc(channel_dims()); }
  /// Pixels of all images, as rows.
  memory::desc rows_desc() const {
    return {{src_.batch * src_.area(), src_.shape.channels}, src_.type, memory::format_tag::nc};
  }
  memory rows(Builder& builder, const Tensor& tensor) const {
    return builder.memory(rows_desc(), tensor.buffer);
  }
  void add_parameters(Builder& builder, std::unordered_map<int, memory>& arguments) const {
    arguments[DNNL_ARG_SCALE] = builder.weights(layer_.scale, channel_dims(), channel_desc());
    arguments[DNNL_ARG_SHIFT] = builder.weights(layer_.shift, channel_dims(), channel_desc());
  }

  const LayerNorm& layer_;
  dnnl::layer_normalization_forward::primitive_desc description_;
  Tensor src_;
  Buffer *mean_ = nullptr, *variance_ = nullptr;
};

void LayerNormPlan::forward(Builder& builder) {
  src_ = builder.converted(builder.tensor(layer_.inputs[0]), Format::kChannelsLast, builder.type());
  const Tensor dst = builder.define(layer_.output, Format::kChannelsLast, builder.type());
  description_ = onednn::layer_norm_forward(builder.engine(), rows_desc(), layer_.epsilon);
  const auto statistics = description_.mean_desc();
  mean_ = builder.buffer(statistics.get_size());
  variance_ = builder.buffer(statistics.get_size());
  std::unordered_map<int, memory> arguments{
      {DNNL_ARG_SRC, rows(builder, src_)},
      {DNNL_ARG_DST, rows(builder, dst)},
      {DNNL_ARG_MEAN, builder.memory(statistics, mean_)},
      {DNNL_ARG_VARIANCE, builder.memory(statistics, variance_)}};
  add_parameters(builder, arguments);
  builder.execute(fmt::format("layer norm ({})", description_.impl_info_str()),
                  dnnl::layer_normalization_forward(description_), description_.scratchpad_desc(),
                  std::move(arguments));
}

void LayerNormPlan::backward(Builder& builder) {
  const Tensor gradient =
      builder.converted(builder.gradient(layer_.output), Format::kChannelsLast, builder.type());
  const auto description =
      onednn::layer_norm_backward(builder.engine(), rows_desc(), layer_.epsilon, description_);
  // Where nothing before it learns, what it writes is not read.
  const Tensor diff_src =
      builder.wants_gradient(layer_.inputs[0])
          ? builder.contribute(layer_.inputs[0], Format::kChannelsLast, builder.type())
          : builder.temporary(src_.shape, Format::kChannelsLast, builder.type());
  const auto statistics = description_.mean_desc();
  std::unordered_map<int, memory> arguments{
      {DNNL_ARG_SRC, rows(builder, src_)},
      {DNNL_ARG_DIFF_DST, rows(builder, gradient)},
      {DNNL_ARG_DIFF_SRC, rows(builder, diff_src)},
      {DNNL_ARG_MEAN, builder.memory(statistics, mean_)},
      {DNNL_ARG_VARIANCE, builder.memory(statistics, variance_)}};
  add_parameters(builder, arguments);
  std::vector<std::pair<int, GradientTarget>> gradients;
  for (const auto& [argument, parameter] :
       {std::pair{DNNL_ARG_DIFF_SCALE, layer_.scale}, {DNNL_ARG_DIFF_SHIFT, layer_.shift}}) {
    if (layer_.learns()) {
      gradients.emplace_back(argument,
                             builder.gradient_of(parameter, channel_dims(), channel_desc()));
    } else {  // what nobody reads
      arguments[argument] =
          builder.memory(channel_desc(), builder.buffer(channel_desc().get_size()));
    }
  }
  builder.execute(fmt::format("layer norm gradient ({})", description.impl_info_str()),
                  dnnl::layer_normalization_backward(description), description.scratchpad_desc(),
                  std::move(arguments), std::move(gradients));
}

std::unique_ptr<LayerPlan> LayerNorm::plan() const {
  return std::make_unique<LayerNormPlan>(*this);
}

}  // namespace

// aten::layer_norm(input, normalized_shape, weight, bias, eps, cudnn_enable)
void lower_layer_norm(Lowering& lowering) {
  const ValueId input = lowering.value_in_any_order(0);
  const std::int64_t channels = lowering.shape_of(input).shape.channels;
  const bool of_features = lowering.output_sizes().size() == 2 && !lowering.shape_of(input).flat;
  if ((lowering.order_of(0) != Order::kChannelsLast && !of_features) ||
      lowering.integers(1) != std::vector<std::int64_t>{channels}) {
    lowering.unsupported("it is not over the channels of each pixel");
  }
  if (lowering.is_none(2) || lowering.is_none(3)) lowering.unsupported("it has no weight or bias");
  auto layer = std::make_unique<LayerNorm>();
  layer->scale = lowering.parameter(2).value();
  layer->shift = lowering.parameter(3).value();
  layer->epsilon = static_cast<float>(lowering.number(4));
  const std::string name = lowering.module_of(layer->scale);
  lowering.add(std::move(layer), {input}, lowering.shape_of(input), name);
  lowering.show(lowering.order_of(0));
}

}  // namespace yoke::compiled
