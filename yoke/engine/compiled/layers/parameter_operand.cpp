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

/// Whether the parameter became the bias of the layer that made `input`, which is not read without
/// it.
bool becomes_bias(Lowering& lowering, ValueId input, bool read_once, ParameterId parameter) {
  auto* const layer = dynamic_cast<MatrixLayer*>(lowering.maker_of(input));
  const std::int64_t channels = lowering.shape_of(input).shape.channels;
  const bool fits = lowering.parameter_shape(parameter) == std::vector<std::int64_t>{channels};
  if (layer == nullptr || layer->bias || !fits || !read_once ||
      layer->frozen != lowering.is_frozen()) {
    return false;
  }
  layer->bias = parameter;
  return true;
}

/// Whether a parameter of `sizes` has one number for each channel of a tensor that has `behind`
/// dimensions behind its channels.
bool is_of_channels(std::vector<std::int64_t> sizes, std::int64_t channels, std::size_t behind) {
  while (sizes.size() > behind + 1 && sizes.front() == 1) sizes.erase(sizes.begin());
  std::vector<std::int64_t> wanted(behind + 1, 1);
  wanted.front() = channels;
  return sizes == wanted;
}

}  // namespace

void lower_added_parameter(Lowering& lowering, std::size_t i) {
  const std::size_t other = 1 - i;
  const ValueId input = lowering.value_in_any_order(other);
  const ParameterId parameter = lowering.parameter(i).value();
  if (lowering.order_of(other) != Order::kChannelsLast) {
    lowering.unsupported("a parameter is added to what does not have its channels last");
  }
  const bool read_once = lowering.node().input(other)->uses().size() == 1;
  if (becomes_bias(lowering, input, read_once, parameter)) {
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

void lower_channel_scale(Lowering& lowering, std::size_t i) {
  const std::size_t other = 1 - i;
  const ValueId input = lowering.value_in_any_order(other);
  const Value value = lowering.shape_of(input);
  const Order order = lowering.order_of(other);
  const ParameterId parameter = lowering.parameter(i).value();
  const std::int64_t channels = value.shape.channels;
  const std::size_t dimensions = lowering.output_sizes().size();
  const std::size_t behind = order == Order::kChannelsLast ? 0 : dimensions - 2;
  if (value.flat || order == Order::kBehindOne ||
      !is_of_channels(lowering.parameter_shape(parameter), channels, behind)) {
    lowering.unsupported("the parameter does not have one number for each channel");
  }
  // A convolution of single pixels whose groups are channels is this product.
  auto layer = std::make_unique<Convolution>();
  layer->weight = parameter;
  layer->input_shape = layer->output_shape = value.shape;
  layer->kernel = {channels, 1, 1, 1, 1};
  layer->windows = {{1, 1}, {0, 0}, {0, 0}, {0, 0}};
  lowering.add(std::move(layer), {input}, value, lowering.module_of(parameter));
  lowering.show(order);
}

}  // namespace yoke::compiled
