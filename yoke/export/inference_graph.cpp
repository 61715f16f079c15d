#include "yoke/export/inference_graph.h"

#include <torch/csrc/jit/passes/dead_code_elimination.h>
#include <torch/csrc/jit/passes/remove_mutation.h>

#include "yoke/engine/trace.h"
#include "yoke/export/any_batch.h"

namespace yoke {
namespace {

/// Keeps a module in evaluation mode for as long as this lives.
class EvaluationMode {
 public:
  explicit EvaluationMode(const torch::nn::Module& module) : modules_(module.modules()) {
    for (const auto& each : modules_) was_training_.push_back(each->is_training());
    modules_.front()->eval();
  }
  ~EvaluationMode() {  // parents come first, and set their children
    for (std::size_t i = 0; i < modules_.size(); ++i) modules_[i]->train(was_training_[i]);
  }
  EvaluationMode(const EvaluationMode&) = delete;
  EvaluationMode& operator=(const EvaluationMode&) = delete;

 private:
  std::vector<std::shared_ptr<torch::nn::Module>> modules_;
  std::vector<bool> was_training_;
};

std::vector<ExportedTensor> tensors_of(const torch::nn::Module& module) {
  std::vector<ExportedTensor> tensors;
  for (const auto& item : module.named_parameters()) {
    tensors.push_back({item.key(), item.value().detach(), /*is_buffer=*/false});
  }
  for (const auto& item : module.named_buffers()) {
    tensors.push_back({item.key(), item.value().detach(), /*is_buffer=*/true});
  }
  return tensors;
}

std::shared_ptr<torch::jit::Graph> trace_images(const Model& model, std::int64_t images) {
  const auto& [channels, height, width] = model.input;
  return trace(model, torch::zeros({images, channels, height, width}));
}

/// In evaluation mode each gives its input.
void remove_dropouts(torch::jit::Graph& graph) {
  for (auto node = graph.nodes().begin(); node != graph.nodes().end(); ++node) {
    const std::string_view name = node->kind().toQualString();
    if (name.find("dropout") == std::string_view::npos) continue;
    node->output()->replaceAllUsesWith(node->input(0));
    node.destroyCurrent();
  }
}

}  // namespace

InferenceGraph inference_graph(const Model& model) {
  constexpr std::int64_t kFew = 2, kMore = 3;  // images
  const EvaluationMode evaluation(*model.module);
  InferenceGraph inference{.graph = trace_images(model, kFew),
                           .tensors = tensors_of(*model.module)};
  allow_any_batch(*inference.graph, *trace_images(model, kMore), kFew, kMore);
  remove_dropouts(*inference.graph);
  torch::jit::RemoveTensorMutation(inference.graph);
  remove_unused(inference);
  return inference;
}

void remove_unused(InferenceGraph& inference) {
  torch::jit::Graph& graph = *inference.graph;
  torch::jit::EliminateDeadCode(inference.graph);
  for (std::size_t i = inference.tensors.size(); i-- > 0;) {
    if (graph.inputs()[i + 1]->hasUses()) continue;
    graph.eraseInput(i + 1);
    inference.tensors.erase(inference.tensors.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

}  // namespace yoke
