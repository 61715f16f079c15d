// yoke/engine/compiled/layers/reshape.cpp: other shapes for the same elements of an image.
#include "yoke/engine/compiled/layers/reshape.h"

#include <limits>

#include "yoke/engine/compiled/builder.h"
#include "yoke/engine/compiled/graph/lowering.h"

namespace yoke::compiled {
namespace {

class ReshapePlan final : public LayerPlan {
 public:
  explicit ReshapePlan(const Reshape& layer) : layer_(layer) {}

  void forward(Builder& builder) override {
    Tensor tensor = builder.tensor(layer_.inputs[0]);
    if (!builder.value(layer_.output).flat) {
      if (!keeps_pixels(builder)) tensor = builder.converted(tensor, Format::kPlain, tensor.type);
      tensor.shape = builder.value(layer_.output).shape;
    }
    builder.define_as(layer_.output, tensor);
  }

  void backward(Builder& builder) override {
    Tensor gradient = builder.gradient(layer_.output);
    if (!builder.value(layer_.output).flat) {
      if (!keeps_pixels(builder)) {
        gradient = builder.converted(gradient, Format::kPlain, gradient.type);
      }
      gradient.shape = builder.value(layer_.inputs[0]).shape;
    }
    builder.contribute(layer_.inputs[0], gradient);
  }

 private:
  /// Whether pixels stay pixels, as they do in every format.
  bool keeps_pixels(const Builder& builder) const {
    const Value &from = builder.value(layer_.inputs[0]), &to = builder.value(layer_.output);
    return !from.flat && from.shape.channels == to.shape.channels;
  }

  const Reshape& layer_;
};

}  // namespace

std::unique_ptr<LayerPlan> Reshape::plan() const { return std::make_unique<ReshapePlan>(*this); }

// aten::flatten(input, start, end), aten::view(input, size), aten::reshape(input, shape)
void lower_reshape(Lowering& lowering) {
  const ValueId input = lowering.value(0);
  const Value from = lowering.shape_of(input);
  const ImageShape to = lowering.output_shape(Order::kChannelsFirst);
  if (to.elements() != from.shape.elements()) lowering.unsupported("it moves elements over images");
  const bool flat = lowering.output_sizes().size() == 2 && from.shape != to;
  if (!flat && from.shape == to && !from.flat) {
    lowering.alias(input);
    return;
  }
  lowering.add(std::make_unique<Reshape>(), {input}, {flat ? from.shape : to, flat});
}

void lower_same(Lowering& lowering) {
  lowering.alias(lowering.value_in_any_order(0), lowering.order_of(0));
}

bool is_whole_slice(const Lowering& lowering) {
  constexpr auto kLast = std::numeric_limits<std::int64_t>::max();
  return (lowering.is_none(2) || lowering.integer(2) == 0) &&
         (lowering.is_none(3) || lowering.integer(3) == kLast) && lowering.integer(4) == 1;
}

void lower_slice(Lowering& lowering) {
  if (!is_whole_slice(lowering)) lowering.unsupported("it takes a part");
  lower_same(lowering);
}

}  // namespace yoke::compiled
