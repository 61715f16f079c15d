#include "yoke/report/tensorboard/graph.h"

#include <fmt/format.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "yoke/report/tensorboard/graph_attributes.h"
#include "yoke/report/tensorboard/graph_names.h"

namespace yoke {
namespace {

using tensorboard::GraphDef;
using tensorboard::NodeDef;
using torch::jit::Node;
using torch::jit::Value;

/// Lists, tuples, constants and attributes of modules, which are no nodes of the picture.
bool is_folded(const Node& node) {
  switch (node.kind()) {
    case c10::prim::Constant:
    case c10::prim::GetAttr:
    case c10::prim::ListConstruct:
    case c10::prim::ListUnpack:
    case c10::prim::TupleConstruct:
    case c10::prim::TupleUnpack:
      return true;
    default:
      return false;
  }
}

/// `convolution` for `aten::_convolution`.
std::string operator_name(const Node& node) {
  const std::string name = node.kind().toUnqualString();
  const auto first = name.find_first_not_of('_');
  const auto last = name.find_last_not_of('_');
  return first == std::string::npos ? "x" : graph_path(name.substr(first, last + 1 - first));
}

std::string argument_name(const Node& node, std::size_t index) {
  const auto* const schema = node.maybeSchema();
  if (schema == nullptr || index >= schema->arguments().size()) return fmt::format("arg{}", index);
  return schema->arguments()[index].name();
}

/// Converts one graph.
class Converter {
 public:
  GraphDef convert(const torch::jit::Graph& graph) {
    definition_.mutable_versions()->set_producer(22);
    for (const Value* input : graph.inputs()) add_input(*input);
    std::vector<const Node*> operators;
    for (const Node* node : graph.nodes()) {
      if (node->kind() == c10::prim::GetAttr) add_attribute(*node);
      if (!is_folded(*node)) operators.push_back(node);
    }
    std::vector<std::optional<std::string>> scopes;
    for (const Node* node : operators) {
      scopes.push_back(own_scope(*node));
      if (scopes.back() && is_parameter(*node)) parameter_scopes_[node->output()] = *scopes.back();
    }
    const auto filled = fill_scopes(scopes);
    for (std::size_t i = 0; i < operators.size(); ++i) add_operator(*operators[i], filled[i]);
    add_outputs(graph);
    return std::move(definition_);
  }

 private:
  NodeDef& add_node(const std::string& path, const std::string& operation) {
    auto& node = *definition_.add_node();
    node.set_name(names_(path));
    node.set_op(operation);
    return node;
  }

  void describe(NodeDef& node, c10::ArrayRef<const Value*> values) {
    if (values.empty()) return;
    auto& shapes = *(*node.mutable_attr())["_output_shapes"].mutable_list();
    for (const Value* value : values) *shapes.add_shape() = graph_shape(*value->type());
    const auto dtype = graph_dtype(*values.front()->type());
    if (dtype != tensorboard::DT_INVALID) (*node.mutable_attr())["dtype"].set_type(dtype);
  }

  void add_input(const Value& value) {
    if (value.type()->kind() == c10::TypeKind::ClassType) {
      modules_[&value] = "";
    } else if (!input_seen_) {
      input_seen_ = true;
      auto& node = add_node(graph_path(value.debugNameBase()), "Input");
      describe(node, &value);
      references_[&value] = {node.name()};
    } else if (value.hasUses()) {
      add_parameter(value, graph_path(value.debugName()));
    }
  }

  void add_parameter(const Value& value, const std::string& path) {
    auto [entry, is_new] = parameters_.try_emplace(path);
    if (is_new) {
      auto& node = add_node(path, "Parameter");
      describe(node, &value);
      entry->second = node.name();
    }
    references_[&value] = {entry->second};
    parameter_scopes_[&value] = graph_scope(path);
  }

  void add_attribute(const Node& node) {
    const auto module = modules_.find(node.input(0));
    const std::string path = graph_join(module == modules_.end() ? "" : module->second,
                                        graph_path(node.s(c10::attr::name)));
    if (node.output()->type()->kind() == c10::TypeKind::ClassType) {
      modules_[node.output()] = path;
    } else {
      add_parameter(*node.output(), path);
    }
  }

  /// The layer of the first parameter among the node's inputs.
  std::optional<std::string> own_scope(const Node& node) const {
    for (const Value* input : node.inputs()) {
      const auto found = parameter_scopes_.find(input);
      if (found != parameter_scopes_.end()) return found->second;
      if (input->node()->kind() != c10::prim::ListConstruct) continue;
      if (auto scope = own_scope(*input->node())) return scope;
    }
    return {};
  }

  /// True for a transposed weight and the like: one value, made of parameters and constants alone.
  bool is_parameter(const Node& node) const {
    return node.outputs().size() == 1 &&
           std::all_of(node.inputs().begin(), node.inputs().end(), [&](const Value* input) {
             return parameter_scopes_.contains(input) || constant(*input) || input->mustBeNone();
           });
  }

  /// The nodes a value comes from: several for a list, none for a constant.
  std::vector<std::string> references(const Value& value) const {
    const auto found = references_.find(&value);
    if (found != references_.end()) return found->second;
    if (!is_folded(*value.node())) return {};
    std::vector<std::string> all;
    for (const Value* input : value.node()->inputs()) {
      for (auto& reference : references(*input)) all.push_back(std::move(reference));
    }
    return all;
  }

  /// The constant that `value` is, or the list of constants.
  static std::optional<tensorboard::AttrValue> constant(const Value& value) {
    if (const auto known = torch::jit::toIValue(&value)) return graph_attribute(*known);
    if (value.node()->kind() != c10::prim::ListConstruct) return {};
    std::vector<c10::IValue> elements;
    for (const Value* element : value.node()->inputs()) {
      const auto known = torch::jit::toIValue(element);
      if (!known) return {};
      elements.push_back(*known);
    }
    return graph_attribute(elements);
  }

  void add_operator(const Node& source, const std::string& scope) {
    auto& node = add_node(graph_join(scope, operator_name(source)), source.kind().toQualString());
    for (std::size_t i = 0; i < source.inputs().size(); ++i) {
      const Value& input = *source.input(i);
      for (const auto& reference : references(input)) node.add_input(reference);
      if (const auto attribute = constant(input)) {
        (*node.mutable_attr())[argument_name(source, i)] = *attribute;
      }
    }
    describe(node, source.outputs());
    for (const Value* output : source.outputs()) {
      const auto index = output->offset();
      references_[output] = {index == 0 ? node.name() : fmt::format("{}:{}", node.name(), index)};
    }
  }

  void add_outputs(const torch::jit::Graph& graph) {
    for (const Value* output : graph.outputs()) {
      auto& node = add_node("output", "Output");
      for (const auto& reference : references(*output)) node.add_input(reference);
      describe(node, output);
    }
  }

  GraphDef definition_;
  UniqueNames names_;
  bool input_seen_ = false;
  std::map<const Value*, std::string> modules_;  ///< Their paths.
  std::map<const Value*, std::vector<std::string>> references_;
  std::map<const Value*, std::string> parameter_scopes_;
  std::map<std::string, std::string> parameters_;  ///< Names of nodes by path.
};

}  // namespace

GraphDef graph_definition(const torch::jit::Graph& graph) { return Converter().convert(graph); }

}  // namespace yoke
