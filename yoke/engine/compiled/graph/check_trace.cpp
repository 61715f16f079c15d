#include "yoke/engine/compiled/graph/check_trace.h"

#include <fmt/format.h>

#include <string>
#include <unordered_map>
#include <unordered_set>

#include "yoke/engine/compiled.h"
#include "yoke/engine/compiled/graph/views.h"

namespace yoke::compiled {
namespace {

using torch::jit::Graph, torch::jit::Node, torch::jit::Value;

bool is_used_after(const Value& value, const Node& node) {
  for (const auto& use : value.uses()) {
    if (use.user != &node && use.user->isAfter(&node)) return true;
  }
  return false;
}

bool equal_constants(const Node& a, const Node& b) {
  const auto x = torch::jit::toIValue(a.output()), y = torch::jit::toIValue(b.output());
  if (!x || !y) return !x && !y;
  if (x->isTensor() && y->isTensor()) {
    const auto &first = x->toTensor(), &second = y->toTensor();
    if (!first.defined() || !second.defined()) return first.defined() == second.defined();
    return first.scalar_type() == second.scalar_type() && first.equal(second);
  }
  return x->tagKind() == y->tagKind() && *x == *y;
}

bool alike(const Node& a, const Node& b) {
  if (a.kind() != b.kind() || a.inputs().size() != b.inputs().size()) return false;
  for (std::size_t i = 0; i < a.inputs().size(); ++i) {
    if (a.input(i)->debugName() != b.input(i)->debugName()) return false;
  }
  return a.kind() != torch::jit::prim::Constant || equal_constants(a, b);
}

/// What a reader knows `node` by: an operator, for a constant the one that takes it.
const Node& operator_of(const Node& node) {
  const bool is_constant = node.kind() == torch::jit::prim::Constant;
  return is_constant && node.output()->hasUses() ? *node.output()->uses().front().user : node;
}

}  // namespace

void refuse(const Node& node, const std::string& why) {
  const std::string scope = node.scopeName();
  throw UnsupportedModel(fmt::format(
      "the model does not compile: {}, {}: {}; use --engine eager, which runs any model",
      node.kind().toQualString(), scope.empty() ? "in its forward pass" : scope, why));
}

void refuse_changed_views(const Graph& graph) {
  const Views views(graph);
  std::unordered_map<const Value*, std::unordered_set<const Value*>> shared;  // by origin
  for (const auto* node : graph.nodes()) {
    for (const Value* const output : node->outputs()) {
      const Value* const origin = views.origin(output);
      if (origin == output) continue;
      auto& names = shared[origin];
      names.insert(origin);
      if (changes_its_input(*node) && views.is_of_images(origin)) {
        for (const Value* name : names) {
          if (!is_used_after(*name, *node)) continue;
          refuse(*node, fmt::format("it changes in place the memory of %{}, which is read later as "
                                    "%{}",
                                    node->input(0)->debugName(), name->debugName()));
        }
      }
      names.insert(output);
    }
  }
}

void refuse_differences(const Graph& first, const Graph& second) {
  const std::string why =
      "it differs from one forward pass to the next, by counters or random numbers of the model's "
      "own";
  auto other = second.nodes().begin();
  for (const auto* node : first.nodes()) {
    if (other == second.nodes().end() || !alike(*node, **other)) refuse(operator_of(*node), why);
    ++other;
  }
  if (other != second.nodes().end()) refuse(**other, why);
  if (first.outputs().at(0)->debugName() != second.outputs().at(0)->debugName()) {
    refuse(*first.return_node(), why);
  }
}

}  // namespace yoke::compiled
