// Parts of a traced graph that have no layers: each becomes one layer, which LibTorch computes.
#include <fmt/format.h>

#include <algorithm>

#include "yoke/engine/compiled/graph/lowering.h"
#include "yoke/engine/compiled/layers/aten.h"

namespace yoke::compiled {
namespace {

using torch::jit::Node;
using JitValue = torch::jit::Value;

/// The operators that read `value`, also as a part of a list.
std::vector<const Node*> readers_of(const JitValue& value) {
  std::vector<const Node*> readers;
  for (const auto& use : value.uses()) {
    if (use.user->kind() != torch::jit::prim::ListConstruct) {
      readers.push_back(use.user);
      continue;
    }
    const auto of_list = readers_of(*use.user->output());
    readers.insert(readers.end(), of_list.begin(), of_list.end());
  }
  return readers;
}

/// The first operator outside of `nodes`, which lie behind one another, that reads `value`.
const Node* first_reader_after(const std::vector<const Node*>& nodes, const JitValue& value) {
  const Node* first = nullptr;
  for (const Node* const reader : readers_of(value)) {
    if (std::find(nodes.begin(), nodes.end(), reader) != nodes.end()) continue;
    if (first == nullptr || reader->isBefore(first)) first = reader;
  }
  return first;
}

/// Of a tensor of the traced images; nothing where it is something else.
std::optional<std::vector<std::int64_t>> sizes_of(const JitValue& value) {
  if (value.type()->kind() != c10::TypeKind::TensorType) return std::nullopt;
  const auto type = value.type()->expect<c10::TensorType>();
  const auto sizes = type->sizes().concrete_sizes();
  if (!sizes || type->scalarType() != torch::kFloat32) return std::nullopt;
  return *sizes;
}

/// How `value` of so many dimensions is best shown to what reads it: tokens and what a layer norm
/// or a linear layer takes have their channels last.
Order best_order(const JitValue& value, std::size_t dimensions) {
  constexpr std::size_t kTokens = 3, kImages = 4;
  if (dimensions == kTokens) return Order::kChannelsLast;
  const auto readers = readers_of(value);
  const bool last = std::any_of(readers.begin(), readers.end(), [](const Node* reader) {
    const std::string_view name = reader->kind().toQualString();
    return name == "aten::layer_norm" || name == "aten::linear" || name == "aten::matmul";
  });
  return dimensions == kImages && last ? Order::kChannelsLast : Order::kChannelsFirst;
}

/// Whether `value` can flow between layers.
bool can_flow(const JitValue& value) {
  const auto sizes = sizes_of(value);
  return sizes && sizes->size() >= 2 && sizes->size() <= 4 && sizes->front() == kTracedImages;
}

}  // namespace

// What does not depend on images is no layer: it becomes part of the regions that read it.
void Lowering::lower_region(const std::vector<const Node*>& nodes) {
  for (const Node* const node : nodes) {
    node_ = node;
    if (const auto why = why_not_in_region(*node); !why.empty()) unsupported(why);
    if (!changes_its_input(*node) || node->inputs().empty()) continue;
    const JitValue* const changed = views_.origin(node->input(0));
    if (parameters_.contains(changed) || buffers_.contains(changed)) {
      unsupported("it changes what the model keeps");
    }
  }
  for (const Node* const node : nodes) {
    for (const JitValue* const result : node->outputs()) {
      const Node* const reader = first_reader_after(nodes, *result);
      if (reader == nullptr || !views_.is_of_images(views_.origin(result))) continue;
      node_ = node;
      if (!can_flow(*result)) extend_region(nodes, *reader);
      add_region(region_of(*result), *result);
    }
  }
}

void Lowering::extend_region(const std::vector<const Node*>& nodes, const Node& last) {
  node_ = nodes.front();
  if (&last == traced_.return_node()) unsupported("what it leads to does not keep images apart");
  for (const Node* node = nodes.back(); node != &last;) {
    node = node->next();
    if (!is_part_of_arguments(*node)) wanted_.push_back(node);
  }
  unsupported("its result cannot flow between layers");
}

std::unordered_set<const Node*> Lowering::nodes_for(const JitValue& result) const {
  std::unordered_set<const Node*> needed;
  std::vector<const JitValue*> open = {&result};
  while (!open.empty()) {
    const JitValue* const value = open.back();
    open.pop_back();
    if (region_input(*value) || !needed.insert(value->node()).second) continue;
    if (const auto why = why_not_in_region(*value->node()); !why.empty()) unsupported(why);
    open.insert(open.end(), value->node()->inputs().begin(), value->node()->inputs().end());
    for (const JitValue* const output : value->node()->outputs()) {
      for (const Node* const writer : views_.writers(views_.origin(output))) {
        if (writer->isBefore(result.node())) open.push_back(writer->output());
      }
    }
  }
  return needed;
}

AtenRegion Lowering::region_of(const JitValue& result) const {
  AtenRegion region{.graph = std::make_shared<torch::jit::Graph>(),
                    .inputs = {},
                    .sizes = sizes_of(result).value(),
                    .operators = {}};
  std::unordered_map<const JitValue*, JitValue*> copies;
  const auto copy_of = [&](JitValue* value) {
    if (const auto found = copies.find(value); found != copies.end()) return found->second;
    region.inputs.push_back(region_input(*value).value());
    return copies[value] = region.graph->addInput()->setType(value->type());
  };
  const auto needed = nodes_for(result);
  for (const Node* const node : traced_.nodes()) {
    if (!needed.contains(node)) continue;
    Node* const copy =
        region.graph->insertNode(region.graph->createClone(const_cast<Node*>(node), copy_of));
    for (std::size_t i = 0; i < node->outputs().size(); ++i) {
      copies[node->output(i)] = copy->output(i);
    }
    if (node->kind().is_aten()) region.operators.emplace_back(node->kind().toQualString());
  }
  region.graph->registerOutput(copies.at(&result));
  return region;
}

std::optional<AtenInput> Lowering::region_input(const JitValue& value) const {
  if (const auto found = values_.find(&value); found != values_.end()) {
    const auto shown = orders_.find(&value);
    const Order order = shown == orders_.end() ? Order::kChannelsFirst : shown->second;
    return AtenInput{AtenInput::Flowing{found->second, order}, sizes_of(value).value()};
  }
  if (const auto found = parameters_.find(&value); found != parameters_.end()) {
    const auto& [id, tensor, name] = found->second;
    return AtenInput{AtenInput::Learned{id, tensor.requires_grad()}, tensor.sizes().vec()};
  }
  if (const auto found = buffers_.find(&value); found != buffers_.end()) {
    return AtenInput{found->second, {}};
  }
  return std::nullopt;
}

void Lowering::add_region(AtenRegion region, const JitValue& result) {
  const Order order = best_order(result, region.sizes.size());
  auto layer = std::make_unique<AtenLayer>(std::move(region), order);
  std::vector<ValueId> inputs;
  for (const auto& input : layer->region.inputs) {
    const auto* const flowing = std::get_if<AtenInput::Flowing>(&input.source);
    if (flowing != nullptr) inputs.push_back(flowing->value);
  }
  layer->frozen = layer->has_parameters() && !layer->learns_any();
  layer->name = fmt::format("{}{}", layer->region.operators.back().substr(6), layer_count());
  layer->inputs = std::move(inputs);
  layer->output = next_value();
  graph_.values.push_back({.shape = *image_shape(layer->region.sizes, order), .flat = false});
  values_[&result] = layer->output;
  if (order != Order::kChannelsFirst) orders_[&result] = order;
  graph_.layers.push_back(std::move(layer));
}

}  // namespace yoke::compiled
