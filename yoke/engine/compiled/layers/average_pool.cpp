// yoke/engine/compiled/layers/average_pool.cpp: average pooling, adaptive or not.
#include "yoke/engine/compiled/kernels/average_pool.h"

#include <algorithm>

#include "yoke/engine/compiled/builder.h"
#include "yoke/engine/compiled/graph/lowering.h"

namespace yoke::compiled {
namespace {

struct AveragePool final : Layer {
  AverageWindows windows;

  std::string kind() const override { return "average pool"; }
  std::unique_ptr<LayerPlan> plan() const override;
};

class AveragePoolPlan final : public LayerPlan {
 public:
  explicit AveragePoolPlan(const AveragePool& layer) : layer_(layer) {}

  void forward(Builder& builder) override {
    const Tensor src = builder.use(builder.tensor(layer_.inputs[0]));
    dst_ = builder.define(layer_.output, src.format, src.type);
    builder.add("average pool", [&layer = layer_, src, dst = dst_](const MicroBatch&) {
      average_pool_forward(src, layer.windows, dst);
    });
  }

  void backward(Builder& builder) override {
    const Tensor gradient =
        builder.converted(builder.gradient(layer_.output), dst_.format, dst_.type);
    const Tensor result = builder.contribute(layer_.inputs[0], dst_.format, dst_.type);
    builder.use(gradient);
    builder.add("average pool gradient", [&layer = layer_, gradient, result](const MicroBatch&) {
      average_pool_backward(gradient, layer.windows, result);
    });
  }

 private:
  const AveragePool& layer_;
  Tensor dst_;
};

std::unique_ptr<LayerPlan> AveragePool::plan() const {
  return std::make_unique<AveragePoolPlan>(*this);
}

/// Pixels of each window along an axis.
std::vector<std::int64_t> window_sizes(const WindowAxis& axis) {
  std::vector<std::int64_t> sizes;
  for (const auto& pixels : axis.of_window)
    sizes.push_back(static_cast<std::int64_t>(pixels.size()));
  return sizes;
}

/// As above, counting the padding, but not what lies beyond it.
std::vector<std::int64_t> padded_sizes(const WindowAxis& axis, std::int64_t kernel,
                                       std::int64_t stride, std::int64_t padding) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t window = 0; window < axis.windows(); ++window) {
    const std::int64_t begin = window * stride - padding;
    sizes.push_back(std::min(begin + kernel, axis.pixels() + padding) - begin);
  }
  return sizes;
}

/// Each window is divided by `divisor`, or, where that is 0, by its own size.
void set_scale(AverageWindows& windows, const std::vector<std::int64_t>& rows,
               const std::vector<std::int64_t>& columns, std::int64_t divisor) {
  for (const std::int64_t height : rows) {
    for (const std::int64_t width : columns) {
      windows.scale.push_back(1.0F / static_cast<float>(divisor > 0 ? divisor : height * width));
    }
  }
}

// aten::avg_pool2d(input, kernel_size, stride, padding, ceil_mode, count_include_pad,
// divisor_override)
AverageWindows regular(const Lowering& lowering, const ImageShape& in, const ImageShape& out) {
  const auto [kernel_y, kernel_x] = lowering.pair(1);
  const bool has_stride = !lowering.integers(2).empty();
  const auto [stride_y, stride_x] = has_stride ? lowering.pair(2) : lowering.pair(1);
  const auto [pad_y, pad_x] = lowering.pair(3);
  AverageWindows windows{regular_windows(in.height, out.height, kernel_y, stride_y, pad_y, 1),
                         regular_windows(in.width, out.width, kernel_x, stride_x, pad_x, 1),
                         {}};
  const std::int64_t divisor = lowering.is_none(6) ? 0 : lowering.integer(6);
  if (lowering.flag(5)) {
    set_scale(windows, padded_sizes(windows.rows, kernel_y, stride_y, pad_y),
              padded_sizes(windows.columns, kernel_x, stride_x, pad_x), divisor);
  } else {
    set_scale(windows, window_sizes(windows.rows), window_sizes(windows.columns), divisor);
  }
  return windows;
}

AverageWindows adaptive(const ImageShape& in, const ImageShape& out) {
  AverageWindows windows{
      adaptive_windows(in.height, out.height), adaptive_windows(in.width, out.width), {}};
  set_scale(windows, window_sizes(windows.rows), window_sizes(windows.columns), 0);
  return windows;
}

}  // namespace

void lower_average_pool(Lowering& lowering) {
  auto layer = std::make_unique<AveragePool>();
  const ValueId input = lowering.value(0);
  const ImageShape in = lowering.shape_of(input).shape, out = lowering.output_shape();
  layer->windows =
      lowering.op() == "aten::adaptive_avg_pool2d" ? adaptive(in, out) : regular(lowering, in, out);
  lowering.add(std::move(layer), {input}, {out, false});
}

// aten::mean(input, dim, keepdim, dtype), over all pixels
void lower_mean(Lowering& lowering) {
  if (lowering.arguments() < 3) lowering.unsupported("it is over images, too");
  const ValueId input = lowering.value_in_any_order(0);
  const bool last = lowering.order_of(0) == Order::kChannelsLast;
  auto dimensions = lowering.integers(1);
  const auto first = lowering.node().input(0)->type()->expect<c10::TensorType>();
  for (auto& dimension : dimensions) {
    if (dimension < 0) dimension += static_cast<std::int64_t>(first->dim().value_or(0));
  }
  std::sort(dimensions.begin(), dimensions.end());
  const bool of_image =
      dimensions == (last ? std::vector<std::int64_t>{1, 2} : std::vector<std::int64_t>{2, 3});
  const bool of_tokens = last && dimensions == std::vector<std::int64_t>{1} &&
                         lowering.shape_of(input).shape.height == 1;
  if ((!of_image && !of_tokens) || (last && lowering.flag(2)) ||
      lowering.order_of(0) == Order::kBehindOne) {
    lowering.unsupported("it is not over the pixels of each image");
  }
  const ImageShape in = lowering.shape_of(input).shape, out{in.channels, 1, 1};
  auto layer = std::make_unique<AveragePool>();
  layer->windows = adaptive(in, out);
  lowering.add(std::move(layer), {input}, {out, false});
}

}  // namespace yoke::compiled
