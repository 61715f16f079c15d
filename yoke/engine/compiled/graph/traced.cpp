#include "yoke/engine/compiled/graph/traced.h"

#include <torch/csrc/jit/runtime/interpreter.h>
#include <torch/nn/modules/batchnorm.h>

#include "yoke/engine/compiled.h"
#include "yoke/engine/compiled/graph/check_trace.h"
#include "yoke/engine/trace.h"
#include "yoke/models/module_parts.h"

namespace yoke::compiled {
namespace {

using torch::jit::Node;

/// In a trace, the momentum of a cumulative average is that of its first step.
template <typename Norm>
bool has_cumulative_average(const torch::nn::Module& module) {
  const auto* const norm = dynamic_cast<const Norm*>(&module);
  return norm != nullptr && norm->options.track_running_stats() && !norm->options.momentum();
}

void refuse_cumulative_averages(const torch::nn::Module& model) {
  for (const auto& module : model.named_modules()) {
    if (!has_cumulative_average<torch::nn::BatchNorm1dImpl>(*module.value()) &&
        !has_cumulative_average<torch::nn::BatchNorm2dImpl>(*module.value())) {
      continue;
    }
    throw UnsupportedModel(
        fmt::format("the model does not compile: the running statistics of {} have no momentum; "
                    "use --engine eager, which runs any model",
                    module.key()));
  }
}

TracedGraph trace_or_refuse(const Model& model, const torch::Tensor& example) {
  try {
    return trace(model, example);
  } catch (const Error& error) {
    throw UnsupportedModel(fmt::format(
        "the model does not compile: {}; use --engine eager, which runs any model", error.what()));
  }
}

bool is_dropout(const Node& node) {
  return std::string_view(node.kind().toQualString()).find("dropout") != std::string_view::npos;
}

bool is_noise(const Node& node) {
  return std::string_view(node.kind().toQualString()) == "aten::bernoulli_" &&
         node.inputs().size() > 1;
}

bool divides_noise(const Node& node) {
  const std::string_view name = node.kind().toQualString();
  return (name == "aten::div" || name == "aten::div_") && is_noise(*node.input(0)->node());
}

/// Features of an image, where `value` is [N, ...] of the traced images; else 0.
std::int64_t features(const torch::jit::Value& value) {
  if (value.type()->kind() != c10::TypeKind::TensorType) return 0;
  const auto sizes = value.type()->expect<c10::TensorType>()->sizes().concrete_sizes();
  if (!sizes || sizes->size() < 2 || sizes->front() != kTracedImages) return 0;
  std::int64_t elements = 1;
  for (std::size_t i = 1; i < sizes->size(); ++i) elements *= (*sizes)[i];
  return elements;
}

}  // namespace

TracedGraph traced_graph(const Model& model, bool training) {
  refuse_cumulative_averages(*model.module);
  const bool was_training = model.module->is_training();
  set_training(*model.module, training);
  const auto& [channels, height, width] = model.input;
  const auto example = torch::zeros({kTracedImages, channels, height, width});
  const auto traced = trace_or_refuse(model, example), again = trace_or_refuse(model, example);
  set_training(*model.module, was_training);
  refuse_differences(*traced, *again);
  refuse_changed_views(*traced);
  return traced;
}

TracedGraph without_dropout(const TracedGraph& graph) {
  constexpr std::size_t kTraining = 2;  // dropout(input, p, train)
  const auto copy = graph->copy();
  for (Node* const node : copy->nodes()) {
    const torch::jit::WithInsertPoint before(node);
    if (is_dropout(*node) && node->inputs().size() > kTraining) {
      node->replaceInput(kTraining, copy->insertConstant(false));
    } else if (is_noise(*node) || divides_noise(*node)) {
      node->replaceInput(1, copy->insertConstant(1.0));  // of bernoulli_(noise, p), div_(noise, p)
    }
  }
  return copy;
}

TracedGraph beginning_of(const TracedGraph& graph, std::size_t end) {
  const auto copy = graph->copy();
  Node* const node = *std::next(copy->nodes().begin(), static_cast<std::ptrdiff_t>(end));
  if (node->outputs().size() != 1) return nullptr;
  torch::jit::Value* const value = node->output();
  const std::int64_t elements = features(*value);
  if (elements == 0) return nullptr;
  copy->eraseOutput(0);
  while (copy->return_node()->prev() != node) copy->return_node()->prev()->destroy();
  const auto flatten = c10::Symbol::fromQualString("aten::flatten");
  auto *const from = copy->insertConstant(1), *const to = copy->insertConstant(-1);
  auto* const flat = copy->insertNode(copy->create(flatten, {value, from, to}))->output();
  flat->inferTypeFrom(torch::empty({kTracedImages, elements}));
  copy->registerOutput(flat);
  return copy;
}

torch::Tensor run_graph(const TracedGraph& graph, const std::vector<torch::Tensor>& inputs) {
  torch::jit::Stack stack(inputs.begin(), inputs.end());
  torch::jit::InterpreterState(torch::jit::Code(graph, "traced")).run(stack);
  return stack.front().toTensor();
}

}  // namespace yoke::compiled
