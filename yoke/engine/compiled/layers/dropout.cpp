// yoke/engine/compiled/layers/dropout.cpp: dropout (Srivastava et al. 2014) of elements or channels.
#include "yoke/engine/compiled/kernels/dropout.h"

#include "yoke/core/random.h"
#include "yoke/engine/compiled/builder.h"
#include "yoke/engine/compiled/lowering.h"

namespace yoke::compiled {
namespace {

struct Dropout final : Layer {
  double probability = 0;
  bool channels = false;  // whole channels together
  std::uint32_t number = 0;  // tells the dropout layers of a network apart

  std::string kind() const override { return "dropout"; }
  std::unique_ptr<LayerPlan> plan() const override;
};

class DropoutPlan final : public LayerPlan {
 public:
  explicit DropoutPlan(const Dropout& layer) : layer_(layer) {}

  void forward(Builder& builder) override {
    const Tensor src = builder.use(builder.tensor(layer_.inputs[0]));
    dst_ = builder.define(layer_.output, src.block, src.type);
    const std::int64_t count = layer_.channels ? src.shape.channels : src.shape.elements();
    stride_ = (count + 63) / 64 * 64;
    keep_ = builder.buffer(static_cast<std::size_t>(builder.batch() * stride_));
    builder.add("dropout", [&layer = layer_, src, dst = dst_, keep = keep_, stride = stride_,
                            scale = scale(), count](const Micro& micro) {
      draw(layer, micro, src.batch, count, stride, keep);
      apply_dropout(src, bytes(keep), stride, layer.channels, scale, dst);
    });
  }

  void backward(Builder& builder) override {
    const Tensor gradient =
        builder.converted(builder.gradient(layer_.output), dst_.block, dst_.type);
    const Tensor result = builder.contribute(layer_.inputs[0], dst_.block, dst_.type);
    builder.use(gradient);
    builder.touch(keep_);
    builder.add("dropout gradient", [&layer = layer_, gradient, result, keep = keep_,
                                     stride = stride_, scale = scale()](const Micro&) {
      apply_dropout(gradient, bytes(keep), stride, layer.channels, scale, result);
    });
  }

 private:
  float scale() const { return static_cast<float>(1 / (1 - layer_.probability)); }
  static std::uint8_t* bytes(const Buffer* buffer) {
    return reinterpret_cast<std::uint8_t*>(buffer->data);
  }
  static void draw(const Dropout& layer, const Micro& micro, std::int64_t batch, std::int64_t count,
                   std::int64_t stride, const Buffer* keep) {
    const auto& [seed, rank, step] = micro.key;
    DropoutKey key{
        .stream = stream_seed(seed, rank, static_cast<std::uint64_t>(step), Purpose::kDropout),
        .layer = layer.number,
        .image = 0};
    for (std::int64_t n = 0; n < batch; ++n) {
      key.image = static_cast<std::uint32_t>(micro.first_image + n);
      draw_kept(key, layer.probability, count, bytes(keep) + n * stride);
    }
  }

  const Dropout& layer_;
  Tensor dst_;
  Buffer* keep_ = nullptr;
  std::int64_t stride_ = 0;
};

std::unique_ptr<LayerPlan> Dropout::plan() const { return std::make_unique<DropoutPlan>(*this); }

}  // namespace

// aten::dropout(input, p, train), aten::feature_dropout(input, p, train)
void lower_dropout(Lowering& lowering) {
  const double probability = lowering.number(1);
  if (!lowering.flag(2) || probability == 0) {
    lowering.alias(lowering.value(0));
    return;
  }
  if (probability >= 1) lowering.unsupported("it drops everything");
  auto layer = std::make_unique<Dropout>();
  layer->probability = probability;
  layer->channels = lowering.op() == "aten::feature_dropout";
  const Value& value = lowering.shape_of(lowering.value(0));
  if (layer->channels && value.flat) lowering.unsupported("its input has no channels");
  layer->number = static_cast<std::uint32_t>(lowering.layer_count());
  lowering.add(std::move(layer), {lowering.value(0)});
}

}  // namespace yoke::compiled
