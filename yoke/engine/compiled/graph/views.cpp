#include "yoke/engine/compiled/graph/views.h"

#include <algorithm>
#include <set>
#include <string>

namespace yoke::compiled {
namespace {

using torch::jit::Graph, torch::jit::Node;
using JitValue = torch::jit::Value;

/// Whether a result may lie where the first input does: its schema says so, or it is one of those
/// that give back what they were given where there is nothing to do.
bool may_be_a_view(const Node& node) {
  static const std::set<std::string> others = {
      "aten::contiguous", "aten::dropout", "aten::feature_dropout",
      "aten::reshape",    "aten::to",      "prim::ListUnpack"};
  if (node.inputs().empty()) return false;
  if (changes_its_input(node) || others.contains(node.kind().toQualString())) return true;
  const auto* const schema = node.maybeSchema();
  if (schema == nullptr) return false;
  return std::any_of(schema->returns().begin(), schema->returns().end(),
                     [](const auto& result) { return result.alias_info() != nullptr; });
}

/// Whether all that the result has of the first input are sizes and number type.
bool is_made_anew(const Node& node) {
  static const std::set<std::string> makers = {
      "aten::new_zeros",  "aten::new_ones",  "aten::new_full",  "aten::new_empty",
      "aten::zeros_like", "aten::ones_like", "aten::full_like", "aten::empty_like"};
  return makers.contains(node.kind().toQualString());
}

}  // namespace

bool changes_its_input(const Node& node) {
  const std::string name = node.kind().toQualString();
  return name.size() > 1 && name.back() == '_';
}

Views::Views(const Graph& graph) {
  of_images_.insert(graph.inputs().front());
  for (const auto* node : graph.nodes()) add(*node);
}

void Views::add(const Node& node) {
  const bool is_view = may_be_a_view(node);
  const bool of_images =
      !is_made_anew(node) &&
      std::any_of(node.inputs().begin(), node.inputs().end(),
                  [&](const JitValue* input) { return is_of_images(origin(input)); });
  for (const JitValue* const output : node.outputs()) {
    if (is_view) origins_[output] = origin(node.input(0));
    if (of_images) of_images_.insert(origin(output));
  }
  if (changes_its_input(node) && is_view) writers_[origin(node.input(0))].push_back(&node);
}

const JitValue* Views::origin(const JitValue* value) const {
  const auto found = origins_.find(value);
  return found == origins_.end() ? value : found->second;
}

std::vector<const Node*> Views::writers(const JitValue* origin) const {
  const auto found = writers_.find(origin);
  return found == writers_.end() ? std::vector<const Node*>() : found->second;
}

}  // namespace yoke::compiled
