#include "yoke/engine/compiled/graph/lowering.h"

#include <algorithm>

#include "yoke/core/error.h"
#include "yoke/engine/compiled.h"
#include "yoke/engine/compiled/graph/check_trace.h"
#include "yoke/engine/compiled/graph/fuse.h"
#include "yoke/engine/compiled/layers/reshape.h"
#include "yoke/engine/trace_constants.h"

namespace yoke::compiled {
namespace {

/// `relu_` computes what `relu` does: in a trace, each result has a name of its own.
std::string without_in_place(std::string op) {
  if (op.size() > 1 && op.back() == '_') op.pop_back();
  return op;
}

bool is_tensor(const torch::jit::Value& value) {
  return value.type()->kind() == c10::TypeKind::TensorType;
}

}  // namespace

Lowering::Lowering(const torch::jit::Graph& graph, const Model& model) : traced_(graph) {
  const auto inputs = graph.inputs();
  std::size_t next = 0;
  values_[inputs[next++]] = LayerGraph::kInput;
  graph_.values.push_back({.shape = model.input, .flat = false});
  for (const auto& item : model.module->named_parameters()) {
    const Parameter parameter{static_cast<ParameterId>(by_id_.size()), item.value(), item.key()};
    by_id_.push_back(parameter);
    parameters_[inputs[next++]] = parameter;
  }
  for (const auto& item : model.module->named_buffers()) buffers_[inputs[next++]] = item.value();
}

LayerGraph Lowering::run() {
  for (const auto* node : traced_.nodes()) {
    node_ = node;
    if (node->kind() == torch::jit::prim::Constant ||
        node->kind() == torch::jit::prim::ListConstruct || lower_attention_piece(*this)) {
      continue;
    }
    const LowerOperator lower_operator = find_operator(op());
    if (lower_operator == nullptr) unsupported("this operator is not among those that compile");
    lower_operator(*this);
  }
  finish_output(traced_);
  return std::move(graph_);
}

void Lowering::finish_output(const torch::jit::Graph& graph) {
  node_ = graph.return_node();
  const auto found = values_.find(graph.outputs().at(0));
  if (found == values_.end()) unsupported("the result does not depend on the images");
  if (orders_.contains(found->first)) unsupported("its result is not [N, classes]");
  graph_.output = found->second;
  const Value& last = shape_of(graph_.output);
  if (last.shape.height * last.shape.width == 1) return;
  if (!last.flat) unsupported("its result is not [N, classes]");
  // Scores are wanted in order.
  auto layer = std::make_unique<Reshape>();
  layer->name = "scores";
  layer->inputs = {graph_.output};
  layer->output = static_cast<ValueId>(graph_.values.size());
  graph_.values.push_back({{last.shape.elements(), 1, 1}, false});
  graph_.output = layer->output;
  graph_.layers.push_back(std::move(layer));
}

std::string Lowering::op() const { return without_in_place(node_->kind().toQualString()); }

bool Lowering::is_in_place() const { return op() != node_->kind().toQualString(); }

std::size_t Lowering::arguments() const { return node_->inputs().size(); }

const torch::jit::Value* Lowering::input(std::size_t i) const { return node_->inputs().at(i); }

bool Lowering::is_none(std::size_t i) const { return yoke::is_none(*input(i)); }

bool Lowering::is_value(std::size_t i) const { return values_.contains(input(i)); }

ValueId Lowering::value(std::size_t i) const {
  const ValueId id = value_in_any_order(i);
  if (order_of(i) != Order::kChannelsFirst) {
    unsupported(fmt::format("the channels of its argument {} are not in dimension 1", i));
  }
  return id;
}

Order Lowering::order_of(std::size_t i) const {
  const auto found = orders_.find(input(i));
  return found == orders_.end() ? Order::kChannelsFirst : found->second;
}

ValueId Lowering::value_of(const torch::jit::Value& traced, Order order) const {
  const auto found = values_.find(&traced);
  const auto shown = orders_.find(&traced);
  if (found == values_.end() || shown == orders_.end() || shown->second != order) {
    unsupported("a part is not computed from the images, or has its channels elsewhere");
  }
  return found->second;
}

ValueId Lowering::value_in_any_order(std::size_t i) const {
  const auto found = values_.find(input(i));
  if (found == values_.end()) {
    unsupported(fmt::format("its argument {} is not computed from the images", i));
  }
  return found->second;
}

std::int64_t Lowering::integer(std::size_t i) const { return given(constant_integer, i); }

double Lowering::number(std::size_t i) const { return given(constant_number, i); }

bool Lowering::flag(std::size_t i) const { return given(constant_flag, i); }

std::string Lowering::text(std::size_t i) const { return given(constant_text, i); }

std::vector<std::int64_t> Lowering::integers(std::size_t i) const {
  return given(constant_integers, i);
}

std::pair<std::int64_t, std::int64_t> Lowering::pair(std::size_t i) const {
  const auto numbers = integers(i);
  if (numbers.empty() || numbers.size() > 2) unsupported("it is not of two dimensions");
  return {numbers.front(), numbers.back()};
}

std::vector<ValueId> Lowering::values(std::size_t i) const {
  std::vector<ValueId> ids;
  for (const auto* element : input(i)->node()->inputs()) {
    const auto found = values_.find(element);
    if (found == values_.end()) unsupported("a part is not computed from the images");
    if (orders_.contains(element)) unsupported("the channels of a part are not in dimension 1");
    ids.push_back(found->second);
  }
  return ids;
}

bool Lowering::is_parameter(std::size_t i) const { return parameters_.contains(input(i)); }

std::optional<ParameterId> Lowering::repeated_parameter_of_list(std::size_t i) const {
  const auto elements = input(i)->node()->inputs();
  const auto found = elements.empty() ? repeated_.end() : repeated_.find(elements[0]);
  if (found == repeated_.end()) return std::nullopt;
  return found->second;
}

std::optional<ParameterId> Lowering::parameter(std::size_t i) const {
  const auto found = parameters_.find(input(i));
  if (found != parameters_.end()) {
    return found->second.id;
  }
  if (is_none(i)) return std::nullopt;
  unsupported(fmt::format("its argument {} is not a parameter of the model", i));
}

ParameterId Lowering::transposed_parameter(std::size_t i) const {
  const auto found = transposed_.find(input(i));
  if (found == transposed_.end()) {
    unsupported(fmt::format("its argument {} is not a parameter of the model", i));
  }
  return found->second;
}

torch::Tensor Lowering::buffer(std::size_t i) const {
  const auto found = buffers_.find(input(i));
  return found == buffers_.end() ? torch::Tensor() : found->second;
}

std::vector<std::int64_t> Lowering::parameter_shape(ParameterId id) const {
  return by_id_[static_cast<std::size_t>(id)].tensor.sizes().vec();
}

std::string Lowering::module_of(ParameterId id) const {
  const std::string& name = by_id_[static_cast<std::size_t>(id)].name;
  return name.substr(0, name.rfind('.'));
}

std::vector<std::int64_t> Lowering::output_sizes() const {
  const auto* output = node_->output();
  if (!is_tensor(*output)) unsupported("its result is not a tensor");
  const auto sizes = output->type()->expect<c10::TensorType>()->sizes().concrete_sizes();
  if (!sizes || sizes->empty() || sizes->front() != kTracedImages) {
    unsupported("its result does not keep images apart");
  }
  return *sizes;
}

ImageShape Lowering::output_shape() const {
  const auto sizes = output_sizes();
  if (sizes.size() == 2) return {sizes[1], 1, 1};
  if (sizes.size() != 4) {
    unsupported(fmt::format("its result has {} dimensions; 2 and 4 compile", sizes.size()));
  }
  return {sizes[1], sizes[2], sizes[3]};
}

ImageShape Lowering::output_shape(Order order) const {
  auto sizes = output_sizes();
  if (sizes.size() > 2 && order == Order::kChannelsLast) {
    std::rotate(sizes.begin() + 1, sizes.end() - 1, sizes.end());
  }
  if (sizes.size() == 3) sizes.insert(sizes.begin() + 2, 1);
  if (sizes.size() == 2) sizes.insert(sizes.end(), {1, 1});
  if (sizes.size() != 4) {
    unsupported(fmt::format("its result has {} dimensions; 2 to 4 compile", sizes.size()));
  }
  return {sizes[1], sizes[2], sizes[3]};
}

void Lowering::add(std::unique_ptr<Layer> layer, std::vector<ValueId> inputs, Value output,
                   std::string name) {
  layer->name = name.empty() ? fmt::format("{}{}", layer->kind(), graph_.layers.size()) : name;
  layer->frozen = is_frozen();
  layer->inputs = std::move(inputs);
  layer->output = static_cast<ValueId>(graph_.values.size());
  graph_.values.push_back(output);
  values_[node_->output()] = layer->output;
  graph_.layers.push_back(std::move(layer));
}

void Lowering::add(std::unique_ptr<Layer> layer, std::vector<ValueId> inputs) {
  const Value same = shape_of(inputs.front());
  add(std::move(layer), std::move(inputs), same);
}

const Lowering::Parameter* Lowering::find_parameter(const torch::jit::Value* value) const {
  if (const auto found = parameters_.find(value); found != parameters_.end()) {
    return &found->second;
  }
  for (const auto* const views : {&transposed_, &repeated_}) {
    const auto found = views->find(value);
    if (found != views->end()) return &by_id_[static_cast<std::size_t>(found->second)];
  }
  return nullptr;
}

bool Lowering::is_frozen() const {
  const Parameter *frozen = nullptr, *learning = nullptr;
  const auto look_at = [&](const torch::jit::Value* input) {
    const Parameter* const parameter = find_parameter(input);
    if (parameter != nullptr) (parameter->tensor.requires_grad() ? learning : frozen) = parameter;
  };
  for (const auto* const input : node_->inputs()) {
    look_at(input);
    if (input->node()->kind() != torch::jit::prim::ListConstruct) continue;
    for (const auto* const element : input->node()->inputs()) look_at(element);
  }
  if (frozen != nullptr && learning != nullptr) {
    unsupported(
        fmt::format("its parameter {} is frozen, and {} is not", frozen->name, learning->name));
  }
  return frozen != nullptr;
}

void Lowering::alias(ValueId value, Order order) {
  values_[node_->output()] = value;
  show(order);
}

void Lowering::show(Order order) {
  if (order != Order::kChannelsFirst) orders_[node_->output()] = order;
}

Layer* Lowering::maker_of(ValueId value) {
  if (graph_.layers.empty() || graph_.layers.back()->output != value) return nullptr;
  return graph_.layers.back().get();
}

void Lowering::repeat(std::size_t i) { repeated_[node_->output()] = parameter(i).value(); }

void Lowering::transpose(std::size_t i) { transposed_[node_->output()] = parameter(i).value(); }

void Lowering::count_steps(std::size_t i) {
  graph_.counters.push_back(buffer(i));
  buffers_[node_->output()] = buffer(i);  // where the module is used again
}

void Lowering::unsupported(const std::string& why) const { refuse(*node_, why); }

#define OPERATOR(id, name) void lower_##id(Lowering& lowering);
#include "yoke/engine/compiled/graph/operators.def"
#undef OPERATOR

LowerOperator find_operator(const std::string& op) {
  static const std::unordered_map<std::string, LowerOperator> operators = {
#define OPERATOR(id, name) {name, &lower_##id},
#include "yoke/engine/compiled/graph/operators.def"
#undef OPERATOR
  };
  const auto found = operators.find(op);
  return found == operators.end() ? nullptr : found->second;
}

LayerGraph lower(const TracedGraph& traced, const Model& model) {
  LayerGraph graph = Lowering(*traced, model).run();
  fuse_activations(graph);
  return graph;
}

}  // namespace yoke::compiled
