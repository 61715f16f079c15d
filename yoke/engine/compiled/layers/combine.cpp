// yoke/engine/compiled/layers/combine.cpp: sums (residuals) and products (squeeze and excite).
#include "yoke/engine/compiled/kernels/combine.h"

#include "yoke/engine/compiled/activation.h"
#include "yoke/engine/compiled/builder.h"
#include "yoke/engine/compiled/graph/lowering.h"
#include "yoke/engine/compiled/kernels/add.h"
#include "yoke/engine/compiled/layers/parameter_operand.h"

namespace yoke::compiled {
namespace {

/// a + b or a * b; `b` may have one pixel where `a` has many.
struct Combine final : Layer {
  bool multiply = false;
  bool relu = false;

  std::string kind() const override { return multiply ? "product" : "sum"; }
  bool fuse(const Activation& activation) override {
    if (relu || multiply || broadcast || !activation.is_relu()) return false;
    relu = true;
    return true;
  }
  std::unique_ptr<LayerPlan> plan() const override;

  bool broadcast = false;
};

class CombinePlan final : public LayerPlan {
 public:
  explicit CombinePlan(const Combine& layer) : layer_(layer) {}
  void forward(Builder& builder) override;
  void backward(Builder& builder) override;

 private:
  void backward_sum(Builder& builder, Tensor gradient);
  void backward_product(Builder& builder, const Tensor& gradient);
  /// The part of the gradient that goes to `b` where it is spread over pixels.
  void reduce(Builder& builder, const Tensor& gradient, const Tensor* factor);

  const Combine& layer_;
  Tensor a_, b_, dst_;
};

void CombinePlan::forward(Builder& builder) {
  const Tensor first = builder.tensor(layer_.inputs[0]);
  a_ = builder.converted(first, first.format, builder.type());
  b_ = builder.converted(builder.tensor(layer_.inputs[1]), a_.format, builder.type());
  builder.use(a_);
  dst_ = builder.define(layer_.output, a_.format, builder.type());
  if (layer_.relu) {
    builder.add("sum, relu",
                [a = a_, b = b_, dst = dst_](const MicroBatch&) { add_tensors(a, b, true, dst); });
  } else {
    builder.add(layer_.kind(), [a = a_, b = b_, dst = dst_, multiply = layer_.multiply](
                                   const MicroBatch&) { combine(a, b, multiply, dst); });
  }
}

void CombinePlan::backward(Builder& builder) {
  const Tensor gradient =
      builder.converted(builder.gradient(layer_.output), dst_.format, dst_.type);
  if (layer_.multiply) {
    backward_product(builder, gradient);
  } else {
    backward_sum(builder, gradient);
  }
}

void CombinePlan::backward_sum(Builder& builder, Tensor gradient) {
  if (layer_.relu) {
    const Tensor masked =
        gradient.shared ? builder.temporary(dst_.shape, dst_.format, dst_.type) : gradient;
    builder.use(gradient);
    builder.use(dst_);
    builder.use(masked);
    builder.add("relu", [gradient, result = dst_, masked](const MicroBatch&) {
      relu_backward(gradient, result, 0, masked);
    });
    gradient = masked;
  }
  gradient.shared = true;
  if (builder.wants_gradient(layer_.inputs[0])) builder.contribute(layer_.inputs[0], gradient);
  if (!builder.wants_gradient(layer_.inputs[1])) return;
  if (layer_.broadcast) {
    reduce(builder, gradient, nullptr);
  } else {
    builder.contribute(layer_.inputs[1], gradient);
  }
}

void CombinePlan::backward_product(Builder& builder, const Tensor& gradient) {
  const auto times = [&](ValueId input, const Tensor& factor) {
    const Tensor result = builder.contribute(input, dst_.format, dst_.type);
    builder.use(gradient);
    builder.use(factor);
    builder.add("product gradient", [gradient, factor, result](const MicroBatch&) {
      combine(gradient, factor, true, result);
    });
  };
  if (builder.wants_gradient(layer_.inputs[0])) times(layer_.inputs[0], b_);
  if (!builder.wants_gradient(layer_.inputs[1])) return;
  if (layer_.broadcast) {
    reduce(builder, gradient, &a_);
  } else {
    times(layer_.inputs[1], a_);
  }
}

void CombinePlan::reduce(Builder& builder, const Tensor& gradient, const Tensor* factor) {
  const Tensor result = builder.contribute(layer_.inputs[1], dst_.format, dst_.type);
  builder.use(gradient);
  const bool has_factor = factor != nullptr;
  const Tensor other = has_factor ? builder.use(*factor) : Tensor{};
  builder.add("sum over pixels", [gradient, has_factor, other, result](const MicroBatch&) {
    sum_over_pixels(gradient, has_factor ? &other : nullptr, result);
  });
}

std::unique_ptr<LayerPlan> Combine::plan() const { return std::make_unique<CombinePlan>(*this); }

}  // namespace

namespace {

/// num_batches_tracked of a batch norm.
void lower_counter(Lowering& lowering) {
  const bool counts = lowering.op() == "aten::add" && lowering.is_in_place() &&
                      lowering.buffer(0).scalar_type() == torch::kInt64 && lowering.number(1) == 1;
  if (!counts) lowering.unsupported("it computes with a buffer of the model");
  lowering.count_steps(0);
}

void lower_scale(Lowering& lowering) {
  const auto factor = static_cast<float>(lowering.number(1));
  const Activation scale{{dnnl::algorithm::eltwise_linear, factor}};
  lowering.add(std::make_unique<ActivationLayer>(scale), {lowering.value_in_any_order(0)});
  lowering.show(lowering.order_of(0));
}

void lower_two_values(Lowering& lowering) {
  auto layer = std::make_unique<Combine>();
  layer->multiply = lowering.op() == "aten::mul";
  const Order order = lowering.order_of(0);
  if (order != lowering.order_of(1)) lowering.unsupported("its arguments have other dimensions");
  ValueId a = lowering.value_in_any_order(0), b = lowering.value_in_any_order(1);
  if (lowering.shape_of(a).shape.elements() < lowering.shape_of(b).shape.elements())
    std::swap(a, b);
  const Value first = lowering.shape_of(a), second = lowering.shape_of(b);
  layer->broadcast = first.shape != second.shape;
  const bool one_pixel = second.shape == ImageShape{first.shape.channels, 1, 1};
  const bool of_pixels = order == Order::kChannelsFirst && !first.flat && one_pixel;
  if ((layer->broadcast && !of_pixels) ||
      lowering.output_shape(order).elements() != first.shape.elements()) {
    lowering.unsupported(
        fmt::format("its arguments have shapes {} and {}", first.shape.str(), second.shape.str()));
  }
  if (first.flat != second.flat) lowering.unsupported("one of its arguments is flattened");
  lowering.add(std::move(layer), {a, b}, first);
  lowering.show(order);
}

}  // namespace

// aten::add(a, b, alpha), aten::mul(a, b)
void lower_combine(Lowering& lowering) {
  if (lowering.buffer(0).defined()) return lower_counter(lowering);
  const bool adds = lowering.op() == "aten::add";
  if (adds && lowering.number(2) != 1) lowering.unsupported("it is scaled");
  for (const std::size_t i : {0, 1}) {
    if (!lowering.is_parameter(i)) continue;
    return adds ? lower_added_parameter(lowering, i) : lower_channel_scale(lowering, i);
  }
  if (!adds && !lowering.is_value(1)) return lower_scale(lowering);
  lower_two_values(lowering);
}

}  // namespace yoke::compiled
