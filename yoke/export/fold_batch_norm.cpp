#include "yoke/export/fold_batch_norm.h"

#include <fmt/format.h>

#include <optional>

#include "yoke/engine/trace_constants.h"

namespace yoke {
namespace {

using torch::jit::Node, torch::jit::Value;

// Arguments of the operators.
constexpr std::size_t kInput = 0, kWeight = 1, kBias = 2;                 // of both
constexpr std::size_t kMean = 3, kVariance = 4, kTraining = 5, kEps = 7;  // of batch norm
constexpr std::size_t kTransposed = 6;                                    // of convolution

/// Folds the batch norms of one graph.
class Folding {
 public:
  explicit Folding(InferenceGraph& inference) : inference_(inference) {}

  /// Whether `norm` was folded; it is of no use then.
  bool fold(Node& norm) {
    if (norm.kind() != c10::aten::batch_norm || constant_flag(*norm.input(kTraining)) != false)
      return false;
    Node& convolution = *norm.input(kInput)->node();
    if (!can_take(convolution)) return false;
    const auto weight = tensor(*convolution.input(kWeight)), mean = tensor(*norm.input(kMean)),
               variance = tensor(*norm.input(kVariance));
    const bool has_bias = !is_none(*convolution.input(kBias));
    if (!weight || !mean || !variance || (has_bias && !tensor(*convolution.input(kBias)))) {
      return false;
    }
    const auto eps = constant_number(*norm.input(kEps));
    // In double precision, so that what is rounded is only the result.
    const auto deviation = (variance->to(torch::kFloat64) + eps.value()).sqrt();
    const auto scale = or_default(*norm.input(kWeight), torch::ones_like(deviation)) / deviation;
    const auto bias = or_default(*convolution.input(kBias), torch::zeros_like(deviation));
    const auto shift = or_default(*norm.input(kBias), torch::zeros_like(deviation));
    std::vector<std::int64_t> per_channel(static_cast<std::size_t>(weight->dim()), 1);
    per_channel[0] = -1;
    const std::string module = module_name(*convolution.input(kWeight));
    give(convolution, kWeight, module + "weight",
         weight->to(torch::kFloat64) * scale.view(per_channel));
    give(convolution, kBias, module + "bias", (bias - *mean) * scale + shift);
    norm.output()->replaceAllUsesWith(convolution.output());
    return true;
  }

 private:
  static bool is_used_once(const Value& value) { return value.uses().size() == 1; }

  /// Whether the operator is a convolution whose result and weights nothing else takes.
  static bool can_take(const Node& node) {
    const std::string_view name = node.kind().toQualString();
    const bool has_flag = name == "aten::_convolution" || name == "aten::convolution";
    if (!has_flag && name != "aten::_convolution_mode") return false;
    // Transposed, its weights have the channels of the result second.
    if (has_flag && constant_flag(*node.input(kTransposed)) != false) return false;
    const Value& bias = *node.input(kBias);
    return is_used_once(*node.output()) && is_used_once(*node.input(kWeight)) &&
           (is_none(bias) || is_used_once(bias));
  }

  std::optional<std::size_t> index(const Value& value) const {
    const auto& inputs = inference_.graph->inputs();
    for (std::size_t i = 1; i < inputs.size(); ++i) {
      if (inputs[i] == &value) return i - 1;
    }
    return std::nullopt;
  }

  std::optional<torch::Tensor> tensor(const Value& value) const {
    const auto found = index(value);
    if (!found) return std::nullopt;
    return inference_.tensors[*found].values;
  }

  torch::Tensor or_default(const Value& value, const torch::Tensor& otherwise) const {
    const auto found = tensor(value);
    return found ? found->to(torch::kFloat64) : otherwise;
  }

  /// Of the module of a tensor, with a dot at its end; empty for the model's own.
  std::string module_name(const Value& value) const {
    const std::string& name = inference_.tensors[*index(value)].name;
    return name.substr(0, name.rfind('.') + 1);
  }

  void give(Node& node, std::size_t argument, const std::string& name,
            const torch::Tensor& values) {
    const auto single = values.to(torch::kFloat32);
    auto* const input = inference_.graph->addInput(name);
    input->inferTypeFrom(single);
    node.replaceInput(argument, input);
    inference_.tensors.push_back({name, single, /*is_buffer=*/false});
  }

  InferenceGraph& inference_;
};

}  // namespace

int fold_batch_norms(InferenceGraph& inference) {
  int folded = 0;
  Folding folding(inference);
  for (Node* const node : inference.graph->nodes()) folded += folding.fold(*node) ? 1 : 0;
  remove_unused(inference);
  return folded;
}

}  // namespace yoke
