#include "yoke/engine/compiled/graph/lowering.h"

#include <algorithm>
#include <utility>

#include "yoke/engine/compiled.h"
#include "yoke/engine/compiled/graph/check_trace.h"
#include "yoke/engine/compiled/graph/fuse.h"
#include "yoke/engine/compiled/layers/reshape.h"

namespace yoke::compiled {

Lowering::Lowering(const torch::jit::Graph& graph, const Model& model, const AtenNodes& by_aten,
                   const Views& views)
    : traced_(graph), by_aten_(by_aten), views_(views) {
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
  std::vector<const torch::jit::Node*> region;
  for (const auto* node : traced_.nodes()) {
    if (is_part_of_arguments(*node)) continue;
    if (by_aten_.contains(node)) {
      region.push_back(node);
      continue;
    }
    lower_region(std::exchange(region, {}));
    node_ = node;
    lower_node();
  }
  lower_region(region);
  finish_output(traced_);
  return std::move(graph_);
}

void Lowering::lower_node() {
  try {
    if (lower_attention_piece(*this) || lower_image_noise(*this)) return;
    const LowerOperator lower_operator = find_operator(op());
    if (lower_operator == nullptr) unsupported("this operator is not among those that compile");
    lower_operator(*this);
  } catch (const UnsupportedModel&) {
    if (why_not_in_region(*node_).empty()) wanted_ = {node_};
    throw;
  }
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
  const Views views(*traced);
  AtenNodes by_aten;
  std::string refused;
  for (;;) {
    Lowering lowering(*traced, model, by_aten, views);
    try {
      LayerGraph graph = lowering.run();
      graph.refused = refused;
      fuse_activations(graph);
      return graph;
    } catch (const UnsupportedModel& error) {
      if (lowering.wanted().empty()) throw;
      if (refused.empty()) refused = error.what();
      by_aten.insert(lowering.wanted().begin(), lowering.wanted().end());
    }
  }
}

}  // namespace yoke::compiled
