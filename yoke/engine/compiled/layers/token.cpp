// yoke/engine/compiled/layers/token.cpp: a parameter put before the pixels of each image, and one
// of them taken: the class token (Dosovitskiy et al. 2020, equations 1 and 4).
#include "yoke/engine/compiled/layers/token.h"

#include <algorithm>
#include <cstring>

#include "yoke/engine/compiled/builder.h"
#include "yoke/engine/compiled/graph/lowering.h"
#include "yoke/engine/compiled/layers/sum_over_images.h"

namespace yoke::compiled {
namespace {

using dnnl::memory;

/// Puts a parameter [1, 1, C] before the pixels.
struct Prepend final : Layer {
  ParameterId parameter = 0;

  std::string kind() const override { return "token"; }
  bool has_parameters() const override { return true; }
  std::unique_ptr<LayerPlan> plan() const override;
};

class PrependPlan final : public LayerPlan {
 public:
  explicit PrependPlan(const Prepend& layer) : layer_(layer) {}

  void forward(Builder& builder) override {
    const Tensor src = builder.converted(builder.tensor(layer_.inputs[0]), Format::kChannelsLast,
                                         memory::data_type::f32);
    const std::int64_t channels = src.shape.channels;
    const memory token = builder.weights(layer_.parameter, {channels}, contiguous_desc({channels}));
    const Tensor dst = builder.define(layer_.output, Format::kChannelsLast, src.type);
    builder.add("token", [src, dst, token](const MicroBatch&) {
      const auto* const first = static_cast<const float*>(token.get_data_handle());
      const std::int64_t elements = src.shape.elements();
      for (std::int64_t n = 0; n < src.batch; ++n) {
        float* to = dst.data<float>() + n * dst.shape.elements();
        to = std::copy_n(first, src.shape.channels, to);
        std::copy_n(src.data<float>() + n * elements, elements, to);
      }
    });
  }

  void backward(Builder& builder) override {
    const Tensor gradient = builder.converted(builder.gradient(layer_.output),
                                              Format::kChannelsLast, memory::data_type::f32);
    if (layer_.learns()) {
      sum_over_images(builder, "token gradient", gradient, gradient.shape.channels,
                      layer_.parameter);
    }
    if (!builder.wants_gradient(layer_.inputs[0])) return;
    const Tensor result =
        builder.contribute(layer_.inputs[0], Format::kChannelsLast, gradient.type);
    builder.use(gradient);
    builder.add("pixels gradient", [gradient, result](const MicroBatch&) {
      const std::int64_t elements = result.shape.elements();
      for (std::int64_t n = 0; n < gradient.batch; ++n) {
        std::copy_n(gradient.data<float>() + (n + 1) * gradient.shape.elements() - elements,
                    elements, result.data<float>() + n * elements);
      }
    });
  }

 private:
  const Prepend& layer_;
};

/// Takes pixel `index`.
struct Select final : Layer {
  std::int64_t index = 0;

  std::string kind() const override { return "selection"; }
  std::unique_ptr<LayerPlan> plan() const override;
};

class SelectPlan final : public LayerPlan {
 public:
  explicit SelectPlan(const Select& layer) : layer_(layer) {}

  void forward(Builder& builder) override {
    src_ =
        builder.converted(builder.tensor(layer_.inputs[0]), Format::kChannelsLast, builder.type());
    const Tensor dst = builder.define(layer_.output, Format::kPlain, src_.type);
    builder.add("selection", [src = src_, dst, index = layer_.index](const MicroBatch&) {
      for (std::int64_t n = 0; n < src.batch; ++n) {
        std::memcpy(pixel(dst, n, 0), pixel(src, n, index), pixel_bytes(src));
      }
    });
  }

  void backward(Builder& builder) override {
    const Tensor gradient =
        builder.converted(builder.gradient(layer_.output), Format::kPlain, src_.type);
    const Tensor result = builder.contribute(layer_.inputs[0], Format::kChannelsLast, src_.type);
    builder.use(gradient);
    builder.add("selection gradient", [gradient, result, index = layer_.index](const MicroBatch&) {
      for (std::int64_t n = 0; n < result.batch; ++n) {
        std::memset(pixel(result, n, 0), 0,
                    pixel_bytes(result) * static_cast<std::size_t>(result.area()));
        std::memcpy(pixel(result, n, index), pixel(gradient, n, 0), pixel_bytes(result));
      }
    });
  }

 private:
  static std::size_t pixel_bytes(const Tensor& tensor) {
    return static_cast<std::size_t>(tensor.shape.channels) * memory::data_type_size(tensor.type);
  }
  static std::byte* pixel(const Tensor& tensor, std::int64_t image, std::int64_t index) {
    return tensor.buffer->data +
           pixel_bytes(tensor) * static_cast<std::size_t>(image * tensor.area() + index);
  }

  const Select& layer_;
  Tensor src_;
};

std::unique_ptr<LayerPlan> Prepend::plan() const { return std::make_unique<PrependPlan>(*this); }
std::unique_ptr<LayerPlan> Select::plan() const { return std::make_unique<SelectPlan>(*this); }

}  // namespace

void lower_token(Lowering& lowering, ParameterId token) {
  const auto elements = lowering.node().input(0)->node()->inputs();
  if (elements.size() != 2 || lowering.integer(1) != 1) {
    lowering.unsupported("it does more than to put one parameter before the pixels of each image");
  }
  const ValueId pixels = lowering.value_of(*elements[1], Order::kChannelsLast);
  const ImageShape from = lowering.shape_of(pixels).shape;
  const ImageShape to = lowering.output_shape(Order::kChannelsLast);
  if (to != ImageShape{from.channels, 1, from.height * from.width + 1}) {
    lowering.unsupported("the parameter is not one pixel");
  }
  auto layer = std::make_unique<Prepend>();
  layer->parameter = token;
  lowering.add(std::move(layer), {pixels}, {to, false});
  lowering.show(Order::kChannelsLast);
}

// aten::select(input, dim, index)
void lower_select(Lowering& lowering) {
  const ValueId input = lowering.value_in_any_order(0);
  const auto& [channels, height, width] = lowering.shape_of(input).shape;
  if (lowering.order_of(0) != Order::kChannelsLast || lowering.integer(1) != 1 || height != 1 ||
      lowering.output_sizes().size() != 2) {
    lowering.unsupported("it does more than to take one pixel of [N, P, C]");
  }
  auto layer = std::make_unique<Select>();
  const std::int64_t index = lowering.integer(2);
  layer->index = index < 0 ? index + width : index;
  lowering.add(std::move(layer), {input}, {{channels, 1, 1}, false});
}

}  // namespace yoke::compiled
