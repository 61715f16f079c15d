#include "yoke/export/node_place.h"

#include <fmt/format.h>

#include <optional>

namespace yoke {
namespace {

/// The module of a tensor among the inputs of `node`; of the model's own tensors, "the model".
std::optional<std::string> module_of(const torch::jit::Node& node) {
  const torch::jit::Graph& graph = *node.owningGraph();
  for (const auto* const input : node.inputs()) {
    if (input->node() != graph.param_node() || input == graph.inputs()[0]) continue;
    const std::string name = input->debugName();
    const auto end = name.rfind('.');
    return end == std::string::npos ? "the model" : name.substr(0, end);
  }
  return std::nullopt;
}

}  // namespace

std::string describe_place(const torch::jit::Node& node) {
  const std::string name = node.kind().toQualString();
  if (const auto module = module_of(node)) return fmt::format("{} in {}", name, *module);
  const auto& graph = *node.owningGraph();
  for (const auto* before = node.prev(); before != graph.return_node(); before = before->prev()) {
    if (const auto module = module_of(*before)) return fmt::format("{} after {}", name, *module);
  }
  return fmt::format("{} on the images", name);
}

}  // namespace yoke
