#include "yoke/models/script_graph.h"

#include <fmt/format.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/passes/inliner.h>

#include <functional>
#include <set>
#include <vector>

#include "yoke/core/error.h"

namespace yoke {
namespace {

using torch::jit::Graph, torch::jit::Node, torch::jit::Value;

bool is_script_tensor(const Value& value) {
  return value.type()->isSubtypeOf(*c10::TensorType::get());
}

/// Every node, those of inner blocks too.
std::vector<Node*> all_nodes(torch::jit::Block& block) {
  std::vector<Node*> nodes;
  for (Node* const node : block.nodes()) {
    nodes.push_back(node);
    for (torch::jit::Block* const inner : node->blocks()) {
      for (Node* const below : all_nodes(*inner)) nodes.push_back(below);
    }
  }
  return nodes;
}

/// `self.count = self.count + 1`, which would leave `count` of the file where it was, as a copy.
void copy_assigned_tensors(Graph& graph) {
  for (Node* const node : all_nodes(*graph.block())) {
    if (node->kind() != c10::prim::SetAttr || !is_script_tensor(*node->input(1))) continue;
    const torch::jit::WithInsertPoint before(node);
    auto* const kept = graph.insertGetAttr(node->input(0), node->s(c10::attr::name));
    if (!is_script_tensor(*kept)) {
      kept->node()->destroy();
      continue;
    }
    auto* const given = graph.insert(c10::aten::detach, {node->input(1)});
    graph.insert(c10::aten::copy_, {kept, given});
    node->destroy();
  }
}

/// Operators whose result is a number out of a tensor.
bool reads_numbers(const Node& node) {
  static const std::set<std::string> readers = {
      "aten::Bool",           "aten::Int",         "aten::Float",
      "aten::Complex",        "aten::IntImplicit", "aten::FloatImplicit",
      "aten::ScalarImplicit", "aten::item",        "aten::_local_scalar_dense",
      "aten::is_nonzero",     "aten::equal",       "aten::allclose",
      "aten::tolist",         "prim::tolist",      "aten::ComplexImplicit"};
  return readers.contains(node.kind().toQualString()) && !node.inputs().empty() &&
         is_script_tensor(*node.input(0));
}

void check_schema(const c10::FunctionSchema& schema) {
  const auto& arguments = schema.arguments();  // the first is the module
  const auto is_tensor = [](const c10::Argument& argument) {
    return argument.type()->isSubtypeOf(*c10::TensorType::get());
  };
  bool takes_one = arguments.size() > 1 && is_tensor(arguments[1]);
  for (std::size_t i = 2; i < arguments.size(); ++i) {
    takes_one = takes_one && arguments[i].default_value().has_value();
  }
  if (takes_one && schema.returns().size() == 1 && is_tensor(schema.returns().front())) return;
  std::string taken, given;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    taken += (taken.empty() ? "" : ", ") + arguments[i].type()->str();
  }
  for (const auto& each : schema.returns()) given += each.type()->str();
  throw Error(fmt::format(
      "its forward takes ({}) and returns {}; it has to take one Tensor, the images, and return "
      "one, the scores: wrap it in a module that does, and save that",
      taken, given));
}

}  // namespace

std::shared_ptr<Graph> forward_graph(const torch::jit::Module& script) {
  const auto method = script.find_method("forward");
  if (!method) throw Error("it has no method forward; save a module that has one");
  check_schema(method->function().getSchema());
  auto graph = torch::jit::toGraphFunction(method->function()).graph()->copy();
  torch::jit::Inline(*graph);
  copy_assigned_tensors(*graph);
  return graph;
}

std::string untraceable(Graph& graph) {
  for (const Node* const node : all_nodes(*graph.block())) {
    if (node->kind() == c10::prim::SetAttr) {
      return fmt::format("its forward pass changes '{}', an attribute of its own",
                         node->s(c10::attr::name));
    }
    if (reads_numbers(*node)) {
      return fmt::format("its forward pass reads numbers out of tensors, by {}",
                         node->kind().toQualString());
    }
  }
  return {};
}

}  // namespace yoke
