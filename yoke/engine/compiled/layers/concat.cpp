// yoke/engine/compiled/layers/concat.cpp: concatenation of channels.
#include <fmt/format.h>

#include "yoke/engine/compiled/builder.h"
#include "yoke/engine/compiled/graph/lowering.h"
#include "yoke/engine/compiled/layers/token.h"

namespace yoke::compiled {
namespace {

using dnnl::memory;

struct Concat final : Layer {
  std::string kind() const override { return "concatenation"; }
  std::unique_ptr<LayerPlan> plan() const override;
};

class ConcatPlan final : public LayerPlan {
 public:
  explicit ConcatPlan(const Concat& layer) : layer_(layer) {}

  void forward(Builder& builder) override {
    // Channels of a block lie together: only whole blocks can be put side by side.
    format_ = common_format(builder);
    std::unordered_map<int, memory> arguments;
    std::vector<memory::desc> parts;
    for (const ValueId input : layer_.inputs) {
      parts_.push_back(builder.converted(builder.tensor(input), format_, builder.type()));
      parts.push_back(parts_.back().desc());
    }
    dst_ = builder.define(layer_.output, format_, builder.type());
    const auto description = onednn::concat(builder.engine(), dst_.desc(), parts);
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      arguments[DNNL_ARG_MULTIPLE_SRC + static_cast<int>(i)] = builder.memory(parts_[i]);
    }
    arguments[DNNL_ARG_DST] = builder.memory(dst_);
    builder.execute(fmt::format("concatenation ({})", description.impl_info_str()),
                    dnnl::concat(description), description.scratchpad_desc(), std::move(arguments));
  }

  void backward(Builder& builder) override {
    const Tensor gradient =
        builder.converted(builder.gradient(layer_.output), format_, builder.type());
    std::int64_t first = 0;
    for (std::size_t i = 0; i < layer_.inputs.size(); ++i) {
      const ImageShape& shape = parts_[i].shape;
      if (builder.wants_gradient(layer_.inputs[i])) {
        cut(builder, gradient, first,
            builder.contribute(layer_.inputs[i], format_, builder.type()));
      }
      first += shape.channels;
    }
  }

 private:
  Format common_format(const Builder& builder) const {
    const Format format = builder.tensor(layer_.inputs[0]).format;
    if (format == Format::kChannelsLast) return Format::kPlain;
    for (const ValueId input : layer_.inputs) {
      const Tensor part = builder.tensor(input);
      if (part.format != format || part.shape.channels % part.block() != 0) return Format::kPlain;
    }
    return format;
  }

  void cut(Builder& builder, const Tensor& gradient, std::int64_t first, const Tensor& part) const {
    const auto& [channels, height, width] = part.shape;
    const auto desc =
        gradient.desc().submemory_desc({part.batch, channels, height, width}, {0, first, 0, 0});
    auto from = builder.memory(desc, gradient.buffer), to = builder.memory(part);
    const dnnl::reorder::primitive_desc description(builder.engine(), desc, builder.engine(),
                                                    part.desc(), onednn::attributes());
    builder.execute(fmt::format("concatenation gradient ({})", description.impl_info_str()),
                    dnnl::reorder(description), description.scratchpad_desc(),
                    {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
  }

  const Concat& layer_;
  Format format_ = Format::kPlain;
  std::vector<Tensor> parts_;
  Tensor dst_;
};

std::unique_ptr<LayerPlan> Concat::plan() const { return std::make_unique<ConcatPlan>(*this); }

}  // namespace

// aten::cat(tensors, dim)
void lower_concat(Lowering& lowering) {
  if (const auto token = lowering.repeated_parameter_of_list(0)) {
    lower_token(lowering, *token);
    return;
  }
  const auto sizes = lowering.output_sizes();
  const std::int64_t dimension = lowering.integer(1);
  if (dimension != 1 && dimension != 1 - static_cast<std::int64_t>(sizes.size())) {
    lowering.unsupported(fmt::format("it is along dimension {}, not over channels", dimension));
  }
  const auto inputs = lowering.values(0);
  for (const ValueId input : inputs) {
    if (lowering.shape_of(input).flat) lowering.unsupported("one of its arguments is flattened");
  }
  lowering.add(std::make_unique<Concat>(), inputs, {lowering.output_shape(), false});
}

}  // namespace yoke::compiled
