// yoke/engine/compiled/layers/max_pool.cpp: max pooling, with the ReLU before or after it.
#include "yoke/engine/compiled/kernels/max_pool.h"

#include "yoke/engine/compiled/activation.h"
#include "yoke/engine/compiled/builder.h"
#include "yoke/engine/compiled/graph/lowering.h"

namespace yoke::compiled {
namespace {

struct MaxPool final : Layer {
  PoolWindows windows;
  bool relu = false;

  std::string kind() const override { return "max pool"; }
  bool commutes_with_relu() const override { return true; }
  bool fuse(const Activation& activation) override {
    if (relu || !activation.is_relu()) return false;
    relu = true;
    return true;
  }
  std::unique_ptr<LayerPlan> plan() const override;
};

class MaxPoolPlan final : public LayerPlan {
 public:
  explicit MaxPoolPlan(const MaxPool& layer) : layer_(layer) {}

  void forward(Builder& builder) override {
    const Tensor src = builder.use(builder.tensor(layer_.inputs[0]));
    dst_ = builder.define(layer_.output, src.format, src.type);
    if (builder.training()) taps_ = builder.buffer(static_cast<std::size_t>(dst_.elements()));
    builder.add(layer_.relu ? "max pool, relu" : "max pool",
                [&layer = layer_, src, dst = dst_, taps = taps_](const MicroBatch&) {
                  max_pool_forward(src, layer.windows, layer.relu, dst, bytes(taps));
                });
  }

  void backward(Builder& builder) override {
    const Tensor gradient =
        builder.converted(builder.gradient(layer_.output), dst_.format, dst_.type);
    const Tensor result = builder.contribute(layer_.inputs[0], dst_.format, dst_.type);
    builder.use(gradient);
    builder.touch(taps_);
    builder.add("max pool gradient",
                [&layer = layer_, gradient, result, taps = taps_](const MicroBatch&) {
                  max_pool_backward(gradient, bytes(taps), layer.windows, result);
                });
  }

 private:
  static std::uint8_t* bytes(const Buffer* buffer) {
    return buffer == nullptr ? nullptr : reinterpret_cast<std::uint8_t*>(buffer->data);
  }

  const MaxPool& layer_;
  Tensor dst_;
  Buffer* taps_ = nullptr;
};

std::unique_ptr<LayerPlan> MaxPool::plan() const { return std::make_unique<MaxPoolPlan>(*this); }

}  // namespace

// aten::max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode)
void lower_max_pool(Lowering& lowering) {
  auto layer = std::make_unique<MaxPool>();
  const ValueId input = lowering.value(0);
  const ImageShape in = lowering.shape_of(input).shape, out = lowering.output_shape();
  const auto [kernel_y, kernel_x] = lowering.pair(1);
  const bool has_stride = !lowering.integers(2).empty();
  const auto [stride_y, stride_x] = has_stride ? lowering.pair(2) : lowering.pair(1);
  const auto [pad_y, pad_x] = lowering.pair(3);
  const auto [dilation_y, dilation_x] = lowering.pair(4);
  constexpr std::int64_t kMostTaps = 254;
  if (kernel_y * kernel_x > kMostTaps) lowering.unsupported("its windows have over 254 pixels");
  layer->windows = pool_windows({in.height, out.height, kernel_y, stride_y, pad_y, dilation_y},
                                {in.width, out.width, kernel_x, stride_x, pad_x, dilation_x});
  lowering.add(std::move(layer), {input}, {out, false});
}

}  // namespace yoke::compiled
