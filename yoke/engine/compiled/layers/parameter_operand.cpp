#include "yoke/engine/compiled/layers/parameter_operand.h"

#include "yoke/engine/compiled/builder.h"
#include "yoke/engine/compiled/layers/convolution.h"
#include "yoke/engine/compiled/layers/sum_over_images.h"

namespace yoke::compiled {
namespace {

using dnnl::memory;

/// Adds a parameter [1, P, C] to the pixels of each image: an embedding of their positions.
struct Position final : Layer {
  ParameterId parameter = 0;

  std::string kind() const override { return "position"; }
  bool has_parameters() const override { return true; }
  std::unique_ptr<LayerPlan> plan() const override;
};

class PositionPlan final : public LayerPlan {
 public:
  explicit PositionPlan(const Position& layer) : layer_(layer) {}

  void forward(Builder& builder) override {
    const Tensor src = builder.converted(builder.tensor(layer_.inputs[0]), Format::kChannelsLast,
                                         memory::data_type::f32);
    const std::int64_t elements = src.shape.elements();
    const memory added = builder.weights(layer_.parameter, {elements}, contiguous_desc({elements}));
    const Tensor dst = builder.define(layer_.output, Format::kChannelsLast, src.type);
    builder.add("position", [src, dst, added, elements](const MicroBatch&) {
      const auto* const addend = static_cast<const float*>(added.get_data_handle());
      for (std::int64_t n = 0; n < src.batch; ++n) {
        const float* const from = src.data<float>() + n * elements;
        float* const to = dst.data<float>() + n * elements;
        for (std::int64_t i = 0; i < elements; ++i) to[i] = from[i] + addend[i];
      }
    });
  }

  void backward(Builder& builder) override {
    Tensor gradient = builder.converted(builder.gradient(layer_.output), Format::kChannelsLast,
                                        memory::data_type::f32);
    if (layer_.learns()) {
      const std::int64_t elements = gradient.shape.elements();
      sum_over_images(builder, "position gradient", gradient, elements, layer_.parameter);
    }
    gradient.shared = true;
    if (builder.wants_gradient(layer_.inputs[0])) builder.contribute(layer_.inputs[0], gradient);
  }

 private:
  const Position& layer_;
};

std::unique_ptr<LayerPlan> Position::plan() const { return std::make_unique<PositionPlan>(*this); }

/// Whether the parameter became the bias of the layer that made `input`.
bool becomes_bias(Lowering& lowering, ValueId input, ParameterId parameter) {
  auto* const layer = dynamic_cast<MatrixLayer*>(lowering.maker_of(input));
  const std::int64_t channels = lowering.shape_of(input).shape.channels;
  const bool fits = lowering.parameter_shape(parameter) == std::vector<std::int64_t>{channels};
  if (layer == nullptr || layer->bias || !fits || layer->frozen != lowering.is_frozen()) {
    return false;
  }
  layer->bias = parameter;
  return true;
}

}  // namespace

void lower_added_parameter(Lowering& lowering) {
  const ValueId input = lowering.value_in_any_order(0);
  const ParameterId parameter = lowering.parameter(1).value();
  if (lowering.order_of(0) != Order::kChannelsLast) {
    lowering.unsupported("a parameter is added to what does not have its channels last");
  }
  if (becomes_bias(lowering, input, parameter)) {
    lowering.alias(input, Order::kChannelsLast);
    return;
  }
  const auto& [channels, height, width] = lowering.shape_of(input).shape;
  if (lowering.parameter_shape(parameter) != std::vector<std::int64_t>{1, width, channels}) {
    lowering.unsupported("the parameter has neither the shape of the channels nor of the pixels");
  }
  auto layer = std::make_unique<Position>();
  layer->parameter = parameter;
  lowering.add(std::move(layer), {input});
  lowering.show(Order::kChannelsLast);
}

void lower_channel_scale(Lowering& lowering) {
  const ValueId input = lowering.value(0);
  const Value value = lowering.shape_of(input);
  const ParameterId parameter = lowering.parameter(1).value();
  const std::int64_t channels = value.shape.channels;
  if (value.flat || lowering.parameter_shape(parameter) != std::vector{channels, 1L, 1L}) {
    lowering.unsupported("the parameter does not have one number for each channel");
  }
  // A convolution of single pixels whose groups are channels is this product.
  auto layer = std::make_unique<Convolution>();
  layer->weight = parameter;
  layer->input_shape = layer->output_shape = value.shape;
  layer->kernel = {channels, 1, 1, 1, 1};
  layer->windows = {{1, 1}, {0, 0}, {0, 0}, {0, 0}};
  lowering.add(std::move(layer), {input}, value, lowering.module_of(parameter));
}

}  // namespace yoke::compiled
