// yoke/engine/compiled/layers/batch_norm.cpp: batch normalisation (Ioffe and Szegedy 2015) with
// ReLU.
#include <fmt/format.h>

#include "yoke/core/error.h"
#include "yoke/engine/compiled/activation.h"
#include "yoke/engine/compiled/builder.h"
#include "yoke/engine/compiled/graph/lowering.h"

namespace yoke::compiled {
namespace {

using dnnl::memory;
using dnnl::normalization_flags;

struct BatchNorm final : Layer {
  std::optional<ParameterId> scale, shift;
  torch::Tensor running_mean, running_variance;
  bool of_batch = true;  // normalise by the batch's own statistics
  double momentum = 0, epsilon = 0;
  std::int64_t channels = 0, area = 0;
  bool relu = false;

  std::string kind() const override { return "batch norm"; }
  bool has_parameters() const override { return scale.has_value(); }
  bool mixes_images() const override { return of_batch; }
  bool fuse(const Activation& activation) override {
    if (relu || !activation.is_relu()) return false;
    relu = true;
    return true;
  }
  std::unique_ptr<LayerPlan> plan() const override;
};

class BatchNormPlan final : public LayerPlan {
 public:
  explicit BatchNormPlan(const BatchNorm& layer) : layer_(layer) {}
  void forward(Builder& builder) override;
  void backward(Builder& builder) override;

 private:
  memory::dims channel_dims() const { return {layer_.channels}; }
  memory::desc channel_desc() const { return contiguous_desc(channel_dims()); }
  void check_values(std::int64_t images) const;
  void add_statistics(Builder& builder);

  const BatchNorm& layer_;
  dnnl::batch_normalization_forward::primitive_desc description_;
  normalization_flags flags_ = normalization_flags::none;
  Tensor src_;
  memory mean_, variance_;
  std::vector<Buffer*> own_statistics_;  // where the plan has them
  Buffer* workspace_ = nullptr;
};

/// Memory of one number per channel that lives outside of the plan.
memory channel_memory(Builder& builder, const memory::desc& desc, void* data) {
  return {desc, builder.engine(), data};
}

void BatchNormPlan::add_statistics(Builder& builder) {
  if (!layer_.of_batch) {
    mean_ = channel_memory(builder, channel_desc(), layer_.running_mean.data_ptr());
    variance_ = channel_memory(builder, channel_desc(), layer_.running_variance.data_ptr());
  } else if (builder.training() && layer_.running_mean.defined()) {
    const auto& part = builder.workspace()
                           .statistics
                           .get(layer_.output, layer_.running_mean, layer_.running_variance,
                                layer_.momentum, layer_.area)
                           .parts[static_cast<std::size_t>(builder.workspace().replica)];
    mean_ = channel_memory(builder, channel_desc(), part.mean.data());
    variance_ = channel_memory(builder, channel_desc(), part.variance.data());
  } else {
    const auto bytes = channel_desc().get_size();
    own_statistics_ = {builder.buffer(bytes), builder.buffer(bytes)};
    mean_ = builder.memory(channel_desc(), own_statistics_[0]);
    variance_ = builder.memory(channel_desc(), own_statistics_[1]);
  }
}

/// Of one value the variance is zero, and what is normalised by it is zero, too.
void BatchNormPlan::check_values(std::int64_t images) const {
  if (!layer_.of_batch || layer_.area * images > 1) return;
  throw Error(
      "batch norm needs more than one value per channel, but a replica has one image of 1x1 at "
      "that layer; give a larger --batch-size, or fewer --replicas");
}

void BatchNormPlan::forward(Builder& builder) {
  const bool flat = builder.value(layer_.inputs[0]).flat;
  src_ = flat ? builder.features(layer_.inputs[0]) : builder.tensor(layer_.inputs[0]);
  check_values(builder.batch());
  src_ = builder.converted(src_, src_.format, builder.type());
  if (layer_.scale)
    flags_ = flags_ | normalization_flags::use_scale | normalization_flags::use_shift;
  if (layer_.relu) flags_ = flags_ | normalization_flags::fuse_norm_relu;
  if (!layer_.of_batch) flags_ = flags_ | normalization_flags::use_global_stats;
  const bool workspace = builder.training() && layer_.relu;
  description_ =
      onednn::batch_norm_forward(builder.engine(), builder.training() || layer_.of_batch,
                                 src_.desc(), static_cast<float>(layer_.epsilon), flags_);
  const Tensor dst = builder.define(layer_.output, src_.format, builder.type());
  add_statistics(builder);
  std::unordered_map<int, memory> arguments{
      {DNNL_ARG_SRC, builder.memory(src_)},
      {DNNL_ARG_DST, builder.memory(description_.dst_desc(), dst.buffer)},
      {DNNL_ARG_MEAN, mean_},
      {DNNL_ARG_VARIANCE, variance_}};
  if (layer_.scale) {
    arguments[DNNL_ARG_SCALE] = builder.weights(*layer_.scale, channel_dims(), channel_desc());
    arguments[DNNL_ARG_SHIFT] = builder.weights(*layer_.shift, channel_dims(), channel_desc());
  }
  const auto workspace_desc = description_.workspace_desc();
  if (workspace || workspace_desc.get_size() > 0) {
    workspace_ = builder.buffer(workspace_desc.get_size());
    arguments[DNNL_ARG_WORKSPACE] = builder.memory(workspace_desc, workspace_);
  }
  builder.execute(fmt::format("batch norm ({})", description_.impl_info_str()),
                  dnnl::batch_normalization_forward(description_), description_.scratchpad_desc(),
                  std::move(arguments));
}

void BatchNormPlan::backward(Builder& builder) {
  const Tensor gradient =
      builder.converted(builder.gradient(layer_.output), src_.format, builder.type());
  const auto description =
      onednn::batch_norm_backward(builder.engine(), layer_.scale.has_value(), src_.desc(),
                                  static_cast<float>(layer_.epsilon), flags_, description_);
  // Where nothing before it learns, what it writes is not read.
  const Tensor diff_src = builder.wants_gradient(layer_.inputs[0])
                              ? builder.contribute(layer_.inputs[0], src_.format, builder.type())
                              : builder.temporary(src_.shape, src_.format, builder.type());
  std::unordered_map<int, memory> arguments{
      {DNNL_ARG_SRC, builder.memory(src_)},
      {DNNL_ARG_DIFF_DST, builder.memory(src_.desc(), gradient.buffer)},
      {DNNL_ARG_MEAN, mean_},
      {DNNL_ARG_VARIANCE, variance_},
      {DNNL_ARG_DIFF_SRC, builder.memory(src_.desc(), diff_src.buffer)}};
  for (Buffer* const statistics : own_statistics_) builder.touch(statistics);
  std::vector<std::pair<int, GradientTarget>> gradients;
  if (layer_.scale) {
    arguments[DNNL_ARG_SCALE] = builder.weights(*layer_.scale, channel_dims(), channel_desc());
    if (onednn::batch_norm_gradient_takes_shift()) {
      arguments[DNNL_ARG_SHIFT] = builder.weights(*layer_.shift, channel_dims(), channel_desc());
    }
  }
  if (layer_.learns()) {
    gradients.emplace_back(DNNL_ARG_DIFF_SCALE,
                           builder.gradient_of(*layer_.scale, channel_dims(), channel_desc()));
    gradients.emplace_back(DNNL_ARG_DIFF_SHIFT,
                           builder.gradient_of(*layer_.shift, channel_dims(), channel_desc()));
  } else if (layer_.scale) {  // what nobody reads: oneDNN 2.6 has no code that leaves it out
    for (const int argument : {DNNL_ARG_DIFF_SCALE, DNNL_ARG_DIFF_SHIFT}) {
      arguments[argument] =
          builder.memory(channel_desc(), builder.buffer(channel_desc().get_size()));
    }
  }
  if (workspace_ != nullptr) {
    arguments[DNNL_ARG_WORKSPACE] = builder.memory(description_.workspace_desc(), workspace_);
  }
  builder.execute(fmt::format("batch norm gradient ({})", description.impl_info_str()),
                  dnnl::batch_normalization_backward(description), description.scratchpad_desc(),
                  std::move(arguments), std::move(gradients));
}

std::unique_ptr<LayerPlan> BatchNorm::plan() const {
  return std::make_unique<BatchNormPlan>(*this);
}

}  // namespace

// aten::batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, ...)
void lower_batch_norm(Lowering& lowering) {
  auto layer = std::make_unique<BatchNorm>();
  const ValueId input = lowering.value(0);
  layer->scale = lowering.parameter(1);
  layer->shift = lowering.parameter(2);
  if (layer->scale.has_value() != layer->shift.has_value()) {
    lowering.unsupported("it has only one of weight and bias");
  }
  layer->running_mean = lowering.buffer(3);
  layer->running_variance = lowering.buffer(4);
  for (const std::size_t i : {3, 4}) {
    if (!lowering.buffer(i).defined() && !lowering.is_none(i)) {
      lowering.unsupported("its running statistics are not buffers of the model");
    }
  }
  layer->of_batch = lowering.flag(5);
  layer->momentum = lowering.number(6);
  layer->epsilon = lowering.number(7);
  const Value& value = lowering.shape_of(input);
  const ImageShape shape = lowering.output_shape();
  layer->channels = shape.channels;
  layer->area = shape.height * shape.width;
  const std::string name = layer->scale ? lowering.module_of(*layer->scale) : "";
  lowering.add(std::move(layer), {input}, {value.flat ? shape : value.shape, false}, name);
}

}  // namespace yoke::compiled
