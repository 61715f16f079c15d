#include "yoke/engine/compiled/layers/depthwise_convolution.h"

#include "yoke/engine/compiled/kernels/depthwise.h"

namespace yoke::compiled {
namespace {

/// Where a step writes a gradient; null for none.
float* numbers_of(const std::optional<GradientTarget>& target, bool accumulate) {
  if (!target) return nullptr;
  return static_cast<float*>(target->memory(accumulate).get_data_handle());
}

}  // namespace

bool is_depthwise(const Convolution& layer) {
  return layer.kernel.size() == 5 && layer.kernel[1] == 1 && layer.kernel[2] == 1;
}

void plan_depthwise_weight_gradient(Builder& builder, const Convolution& layer, const Tensor& input,
                                    const Tensor& gradient) {
  // Neighbours in memory must be channels.
  const Format format = input.format == Format::kPlain ? Format::kBlocks16 : input.format;
  const Tensor src = builder.converted(input, format, builder.type());
  const Tensor diff_dst = builder.converted(gradient, format, builder.type());
  builder.use(src);
  const std::int64_t channels = layer.output_shape.channels;
  const std::optional<GradientTarget> weights =
      builder.gradient_of(layer.weight, layer.kernel, contiguous_desc(layer.kernel));
  std::optional<GradientTarget> bias;
  if (layer.bias) {
    bias = builder.gradient_of(*layer.bias, {channels}, contiguous_desc({channels}));
  }
  Step& step = builder.add("weight gradient (depthwise)",
                           [src, diff_dst, weights, bias, geometry = patch_geometry(layer),
                            &stream = builder.workspace().stream](const MicroBatch& micro) {
                             depthwise_weight_gradient(src, diff_dst, geometry,
                                                       numbers_of(weights, micro.accumulate),
                                                       numbers_of(bias, micro.accumulate));
                             weights->finish(micro.accumulate, stream);
                             if (bias) bias->finish(micro.accumulate, stream);
                           });
  step.primitive = true;
  step.flops = layer.flops() * static_cast<double>(builder.batch());
}

}  // namespace yoke::compiled
