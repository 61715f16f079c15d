// yoke/engine/compiled/layers/activation.cpp: element-wise functions as layers of their own.
#include "yoke/engine/compiled/activation.h"

#include <fmt/format.h>

#include "yoke/engine/compiled/builder.h"
#include "yoke/engine/compiled/graph/lowering.h"

namespace yoke::compiled {
namespace {

using dnnl::algorithm;

class ActivationPlan final : public LayerPlan {
 public:
  explicit ActivationPlan(const ActivationLayer& layer) : layer_(layer) {}

  void forward(Builder& builder) override {
    const Tensor given = builder.tensor(layer_.inputs[0]);
    src_ = builder.converted(given, given.format, builder.type());
    dst_ = builder.define(layer_.output, src_.format, builder.type());
    description_ = onednn::eltwise_forward(builder.engine(), builder.training(), src_.desc(),
                                           layer_.activation.eltwise);
    builder.execute(fmt::format("activation ({})", description_.impl_info_str()),
                    dnnl::eltwise_forward(description_), description_.scratchpad_desc(),
                    {{DNNL_ARG_SRC, builder.memory(src_)}, {DNNL_ARG_DST, builder.memory(dst_)}});
  }

  void backward(Builder& builder) override {
    const Tensor gradient =
        builder.converted(builder.gradient(layer_.output), src_.format, builder.type());
    const auto description = onednn::eltwise_backward(builder.engine(), src_.desc(),
                                                      layer_.activation.eltwise, description_);
    const Tensor diff_src = builder.contribute(layer_.inputs[0], src_.format, builder.type());
    const bool from_result = layer_.activation.from_result;
    builder.execute(
        fmt::format("activation gradient ({})", description.impl_info_str()),
        dnnl::eltwise_backward(description), description.scratchpad_desc(),
        {{from_result ? DNNL_ARG_DST : DNNL_ARG_SRC, builder.memory(from_result ? dst_ : src_)},
         {DNNL_ARG_DIFF_DST, builder.memory(src_.desc(), gradient.buffer)},
         {DNNL_ARG_DIFF_SRC, builder.memory(src_.desc(), diff_src.buffer)}});
  }

 private:
  const ActivationLayer& layer_;
  dnnl::eltwise_forward::primitive_desc description_;
  Tensor src_, dst_;
};

Activation find_activation(const Lowering& lowering) {
  const std::string op = lowering.op();
  if (op == "aten::relu") return {{algorithm::eltwise_relu}};
  if (op == "aten::leaky_relu") {
    return {{algorithm::eltwise_relu, static_cast<float>(lowering.number(1))}};
  }
  if (op == "aten::silu") return {{algorithm::eltwise_swish, 1}};
  if (op == "aten::hardswish") return {onednn::hard_swish()};
  if (op == "aten::sigmoid") return {{algorithm::eltwise_logistic_use_dst_for_bwd}, true};
  if (op == "aten::tanh") return {{algorithm::eltwise_tanh_use_dst_for_bwd}, true};
  if (op == "aten::relu6") return {{algorithm::eltwise_clip_v2, 0, 6}};
  if (op == "aten::hardtanh") {
    return {{algorithm::eltwise_clip_v2, static_cast<float>(lowering.number(1)),
             static_cast<float>(lowering.number(2))}};
  }
  if (op == "aten::elu") {
    if (lowering.number(2) != 1 || lowering.number(3) != 1) lowering.unsupported("it is scaled");
    return {{algorithm::eltwise_elu, static_cast<float>(lowering.number(1))}};
  }
  const bool is_exact = lowering.arguments() < 2 || lowering.text(1) == "none";
  return {{is_exact ? algorithm::eltwise_gelu_erf : algorithm::eltwise_gelu_tanh}};
}

}  // namespace

std::unique_ptr<LayerPlan> ActivationLayer::plan() const {
  return std::make_unique<ActivationPlan>(*this);
}

void lower_activation(Lowering& lowering) {
  lowering.add(std::make_unique<ActivationLayer>(find_activation(lowering)),
               {lowering.value_in_any_order(0)});
  lowering.show(lowering.order_of(0));
}

// min(max(x / 6 + 1 / 2, 0), 1) (Howard et al. 2019), which oneDNN 2.6 lacks
void lower_hard_sigmoid(Lowering& lowering) {
  const ValueId input = lowering.value(0);
  const ValueId scaled = lowering.next_value();
  lowering.add(
      std::make_unique<ActivationLayer>(Activation{{algorithm::eltwise_linear, 1.0F / 6, 0.5F}}),
      {input});
  lowering.add(std::make_unique<ActivationLayer>(Activation{{algorithm::eltwise_clip_v2, 0, 1}}),
               {scaled});
}

}  // namespace yoke::compiled
