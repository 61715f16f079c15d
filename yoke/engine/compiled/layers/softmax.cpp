// yoke/engine/compiled/layers/softmax.cpp: softmax over classes, or its logarithm.
#include "yoke/engine/compiled/kernels/softmax.h"

#include "yoke/engine/compiled/builder.h"
#include "yoke/engine/compiled/graph/lowering.h"

namespace yoke::compiled {
namespace {

struct Softmax final : Layer {
  bool logarithm = false;

  std::string kind() const override { return logarithm ? "log softmax" : "softmax"; }
  std::unique_ptr<LayerPlan> plan() const override;
};

class SoftmaxPlan final : public LayerPlan {
 public:
  explicit SoftmaxPlan(const Softmax& layer) : layer_(layer) {}

  void forward(Builder& builder) override {
    const Tensor src = builder.converted(builder.features(layer_.inputs[0]), Format::kPlain,
                                         dnnl::memory::data_type::f32);
    dst_ = builder.temporary(src.shape, Format::kPlain, dnnl::memory::data_type::f32);
    builder.define_as(layer_.output, dst_);
    builder.add(layer_.kind(), [src, dst = dst_, logarithm = layer_.logarithm](const MicroBatch&) {
      const std::int64_t count = src.shape.channels;
      for (std::int64_t n = 0; n < src.batch; ++n) {
        softmax(src.data<float>() + n * count, count, logarithm, dst.data<float>() + n * count);
      }
    });
  }

  void backward(Builder& builder) override {
    const Tensor gradient =
        builder.converted(builder.gradient(layer_.output), Format::kPlain, dst_.type);
    const Tensor result = builder.contribute(layer_.inputs[0], Format::kPlain, dst_.type);
    builder.use(gradient);
    builder.use(dst_);
    builder.add(layer_.kind() + " gradient", [gradient, dst = dst_, result,
                                              logarithm = layer_.logarithm](const MicroBatch&) {
      const std::int64_t count = dst.shape.channels;
      for (std::int64_t n = 0; n < dst.batch; ++n) {
        softmax_backward(dst.data<float>() + n * count, gradient.data<float>() + n * count, count,
                         logarithm, result.data<float>() + n * count);
      }
    });
  }

 private:
  const Softmax& layer_;
  Tensor dst_;
};

std::unique_ptr<LayerPlan> Softmax::plan() const { return std::make_unique<SoftmaxPlan>(*this); }

}  // namespace

// aten::softmax(input, dim, dtype), aten::log_softmax(input, dim, dtype)
void lower_softmax(Lowering& lowering) {
  const auto sizes = lowering.output_sizes();
  const std::int64_t dimension = lowering.integer(1);
  if (sizes.size() != 2 || (dimension != 1 && dimension != -1)) {
    lowering.unsupported("it is not over the classes of [N, classes]");
  }
  auto layer = std::make_unique<Softmax>();
  layer->logarithm = lowering.op() == "aten::log_softmax";
  lowering.add(std::move(layer), {lowering.value(0)}, {{sizes[1], 1, 1}, false});
}

}  // namespace yoke::compiled
