#include "yoke/export/onnx/lowering.h"

#include <fmt/format.h>

#include <algorithm>

#include "yoke/core/error.h"
#include "yoke/engine/trace_constants.h"
#include "yoke/export/node_place.h"
#include "yoke/export/onnx/operators.h"
#include "yoke/export/onnx/proto.h"

namespace yoke::onnx_export {
namespace {

using torch::jit::Value;

bool is_tensor(const Value& value) { return value.type()->kind() == c10::TypeKind::TensorType; }

Sizes sizes_of(const Value& value) {
  const auto known = value.type()->expect<c10::TensorType>()->sizes();
  Sizes sizes;
  for (std::size_t i = 0; i < known.size().value_or(0); ++i) {
    const auto size = known[i];
    sizes.push_back(size ? std::optional<std::int64_t>(*size) : std::nullopt);
  }
  return sizes;
}

/// What the operator gives; of a list, what it is unpacked into right away, as traces do.
std::vector<const Value*> results_of(const torch::jit::Node& node) {
  auto results = node.outputs();
  if (results.size() == 1 && results[0]->uses().size() == 1) {
    const torch::jit::Node& user = *results[0]->uses().front().user;
    if (user.kind() == torch::jit::prim::ListUnpack) results = user.outputs();
  }
  return {results.begin(), results.end()};
}

}  // namespace

Lowering::Lowering(const InferenceGraph& inference, onnx::GraphProto& graph)
    : inference_(inference), graph_(graph) {
  const auto inputs = inference.graph->inputs();
  names_[inputs[0]] = kInput;
  describe(*graph_.add_input(), kInput, sizes_of(*inputs[0]));
  for (std::size_t i = 0; i < inference.tensors.size(); ++i) {
    const ExportedTensor& tensor = inference.tensors[i];
    names_[inputs[i + 1]] = tensor.name;
    add_initializer(tensor.name, tensor.values);
  }
}

void Lowering::run() {
  for (const auto* node : inference_.graph->nodes()) {
    node_ = node;
    results_ = results_of(*node);
    // Numbers and lists are read by those who take them.
    if (results_.size() == 1 && !is_tensor(*results_[0])) continue;
    if (node->kind() == torch::jit::prim::Constant) continue;
    if (node->kind() == torch::jit::prim::ListUnpack) continue;
    if (!lower_operator(*this)) {
      unsupported(op().ends_with('_')
                      ? "it changes a tensor in place that is read elsewhere too"
                      : "yoke/export/onnx/operators.def says of no operator of ONNX for it");
    }
  }
  node_ = inference_.graph->return_node();
  name_result(*inference_.graph->outputs().at(0));
}

void Lowering::name_result(const Value& result) {
  std::string last = value(result);
  const bool is_computed =
      std::any_of(graph_.node().begin(), graph_.node().end(), [&](const auto& node) {
        return std::count(node.output().begin(), node.output().end(), last) > 0;
      });
  if (!is_computed) last = add("Identity", {last});
  for (auto& node : *graph_.mutable_node()) {
    for (auto& output : *node.mutable_output()) {
      if (output == last) output = kScores;
    }
    for (auto& input : *node.mutable_input()) {
      if (input == last) input = kScores;
    }
  }
  describe(*graph_.add_output(), kScores, sizes_of(result));
}

std::string Lowering::op() const { return node_->kind().toQualString(); }

bool Lowering::is_none(std::size_t i) const {
  return i >= arguments() || yoke::is_none(*node_->input(i));
}

std::string Lowering::value(const Value& value) {
  const auto found = names_.find(&value);
  if (found != names_.end()) return found->second;
  if (const auto number = constant_number(value)) return constant(*number);
  const auto tensor = torch::jit::toIValue(&value);
  if (!tensor || !tensor->isTensor()) unsupported("one of its arguments is no tensor");
  return names_[&value] = constant(tensor->toTensor());
}

std::string Lowering::value(std::size_t i) { return value(*node_->input(i)); }

std::vector<std::string> Lowering::values(std::size_t i) {
  std::vector<std::string> names;
  for (const auto* element : node_->input(i)->node()->inputs()) names.push_back(value(*element));
  return names;
}

std::int64_t Lowering::integer(std::size_t i) const { return given(constant_integer, i); }

double Lowering::number(std::size_t i) const { return given(constant_number, i); }

bool Lowering::flag(std::size_t i) const { return given(constant_flag, i); }

std::string Lowering::text(std::size_t i) const { return given(constant_text, i); }

std::vector<std::int64_t> Lowering::integers(std::size_t i) const {
  return given(constant_integers, i);
}

std::vector<std::int64_t> Lowering::integers(std::size_t i, std::size_t count) const {
  auto numbers = integers(i);
  if (numbers.size() == 1) numbers.resize(count, numbers.front());
  if (numbers.size() != count) {
    unsupported(fmt::format("its argument {} has {} numbers, not {}", i, numbers.size(), count));
  }
  return numbers;
}

/// One size, as a tensor int64 [1].
std::string Lowering::size_value(const Value& value) {
  if (const auto number = constant_integer(value)) {
    return constant(std::vector<std::int64_t>{*number});
  }
  const auto& node = *value.node();  // as allow_any_batch() makes them
  if (node.kind() == c10::aten::size) {
    return add("Shape", {kInput}, {{"start", 0}, {"end", 1}});
  }
  if (node.kind() != c10::aten::mul) unsupported("it takes a size that is computed");
  return add("Mul", {size_value(*node.input(0)), size_value(*node.input(1))});
}

std::string Lowering::shape(std::size_t i) {
  if (const auto known = constant_integers(*node_->input(i))) return constant(*known);
  std::vector<std::string> parts;
  for (const auto* element : node_->input(i)->node()->inputs()) {
    parts.push_back(size_value(*element));
  }
  return add("Concat", parts, {{"axis", 0}});
}

Sizes Lowering::sizes(std::size_t i) const { return sizes_of(*node_->input(i)); }

std::int64_t Lowering::size(std::size_t i, std::size_t axis) const {
  const auto all = sizes(i);
  if (axis >= all.size() || !all[axis]) unsupported("its sizes depend on the number of images");
  return *all[axis];
}

std::int64_t Lowering::axis(std::size_t i) const {
  const std::int64_t axis = integer(i);
  return axis < 0 ? axis + std::ssize(sizes(0)) : axis;
}

Sizes Lowering::output_sizes(std::size_t result) const { return sizes_of(*results_.at(result)); }

std::string Lowering::add(const std::string& op, const std::vector<std::string>& inputs,
                          const Attributes& attributes) {
  return add(op, inputs, attributes, 1).front();
}

std::vector<std::string> Lowering::add(const std::string& op,
                                       const std::vector<std::string>& inputs,
                                       const Attributes& attributes, std::size_t count) {
  auto& node = *graph_.add_node();
  const std::string name = fmt::format("{}_{}", op, next_++);
  node.set_name(name);
  node.set_op_type(op);
  for (const auto& input : inputs) node.add_input(input);
  for (const auto& [key, attribute] : attributes) set(*node.add_attribute(), key, attribute);
  std::vector<std::string> names = {name};
  for (std::size_t i = 1; i < count; ++i) names.push_back(fmt::format("{}_{}", name, i));
  for (const auto& result : names) node.add_output(result);
  return names;
}

void Lowering::add_initializer(const std::string& name, const torch::Tensor& values) {
  if (!fill(*graph_.add_initializer(), name, values)) {
    unsupported(fmt::format("tensor {} is of {}, which ONNX lacks", name,
                            c10::toString(values.scalar_type())));
  }
}

std::string Lowering::constant(const torch::Tensor& values) {
  const std::string name = fmt::format("constant_{}", next_++);
  add_initializer(name, values);
  return name;
}

std::string Lowering::constant(const std::vector<std::int64_t>& values) {
  return constant(torch::tensor(values, torch::kInt64));
}

std::string Lowering::constant(double value) {
  const auto type = results_.at(0)->type()->expect<c10::TensorType>()->scalarType();
  return constant(torch::full({}, value, type.value_or(torch::kFloat32)));
}

void Lowering::give(const std::string& name) { names_[results_.at(0)] = name; }

void Lowering::give(const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < names.size(); ++i) names_[results_.at(i)] = names[i];
}

void Lowering::unsupported(const std::string& why) const {
  const auto* const place = node_ == nullptr ? inference_.graph->return_node() : node_;
  throw UsageError(
      fmt::format("the model has no form in ONNX: {}: {}; export it as TorchScript (model.ts), "
                  "which takes any model",
                  describe_place(*place), why));
}

}  // namespace yoke::onnx_export
