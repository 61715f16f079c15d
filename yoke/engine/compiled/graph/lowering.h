// yoke/engine/compiled/graph/lowering.h: from LibTorch's traced graph to layers.
#pragma once
#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "yoke/engine/compiled/graph/aten_region.h"
#include "yoke/engine/compiled/graph/attention.h"
#include "yoke/engine/compiled/graph/layer_graph.h"
#include "yoke/engine/compiled/graph/order.h"
#include "yoke/engine/compiled/graph/traced.h"
#include "yoke/engine/compiled/graph/views.h"
#include "yoke/engine/compiled/layers/dropout.h"
#include "yoke/engine/compiled/memory/parameters.h"
#include "yoke/models/model.h"

namespace yoke::compiled {

/// Turns a traced graph into layers, one node after the other; also what an operator's lowering
/// sees of its node. @throws UnsupportedModel
class Lowering {
 public:
  /// Nodes `by_aten` become layers that LibTorch computes; `views` are those of `graph`.
  Lowering(const torch::jit::Graph& graph, const Model& model, const AtenNodes& by_aten,
           const Views& views);

  LayerGraph run();

  /// After run() threw: which other nodes LibTorch would have to compute. Empty where that is no
  /// way out.
  const std::vector<const torch::jit::Node*>& wanted() const { return wanted_; }

  // The arguments of the node.
  std::string op() const;  ///< `aten::linear`, also where it is in place.
  bool is_in_place() const;
  std::size_t arguments() const;
  bool is_none(std::size_t i) const;
  bool is_value(std::size_t i) const;  ///< Whether it is what flows between layers.
  /// What flows, with its channels first.
  ValueId value(std::size_t i) const;
  /// Likewise, in any order.
  ValueId value_in_any_order(std::size_t i) const;
  Order order_of(std::size_t i) const;
  /// What `traced` shows in `order`.
  ValueId value_of(const torch::jit::Value& traced, Order order) const;
  const Value& shape_of(ValueId id) const { return graph_.values[static_cast<std::size_t>(id)]; }
  std::int64_t integer(std::size_t i) const;
  double number(std::size_t i) const;
  bool flag(std::size_t i) const;
  std::string text(std::size_t i) const;
  std::vector<std::int64_t> integers(std::size_t i) const;
  /// Two of them, from two or one.
  std::pair<std::int64_t, std::int64_t> pair(std::size_t i) const;
  /// The values of a list.
  std::vector<ValueId> values(std::size_t i) const;
  bool is_parameter(std::size_t i) const;
  std::optional<ParameterId> parameter(std::size_t i) const;
  /// The parameter that is the first of a list, repeated for each image; nothing where it is none.
  std::optional<ParameterId> repeated_parameter_of_list(std::size_t i) const;
  /// Of argument `i`, which is a transposed parameter.
  ParameterId transposed_parameter(std::size_t i) const;
  torch::Tensor buffer(std::size_t i) const;
  std::vector<std::int64_t> parameter_shape(ParameterId id) const;
  /// Whether the node has parameters, none of which learns.
  bool is_frozen() const;
  /// The name of a parameter without its last part: that of its module.
  std::string module_of(ParameterId id) const;

  /// Of the node's result, [N, ...] in the trace.
  std::vector<std::int64_t> output_sizes() const;
  /// Of the node's result, which must be [N, C, H, W] or [N, F].
  ImageShape output_shape() const;
  /// Of the node's result in `order`, of up to four dimensions.
  ImageShape output_shape(Order order) const;

  /// The number of a dropout: of those before it.
  std::uint32_t next_dropout() { return dropouts_++; }

  /// Layers so far.
  std::size_t layer_count() const { return graph_.layers.size(); }

  /// That the next layer will make.
  ValueId next_value() const { return static_cast<ValueId>(graph_.values.size()); }

  // What becomes of it.
  void add(std::unique_ptr<Layer> layer, std::vector<ValueId> inputs, Value output,
           std::string name = "");
  void add(std::unique_ptr<Layer> layer, std::vector<ValueId> inputs);
  /// The node's result is `value`.
  void alias(ValueId value, Order order = Order::kChannelsFirst);
  /// The node's result, which is there, has this order.
  void show(Order order);
  /// The layer that was added last, where it made `value`; else null.
  Layer* maker_of(ValueId value);
  /// The node's result is parameter argument `i`, transposed.
  void transpose(std::size_t i);
  /// The node's result is parameter argument `i`, once for each image.
  void repeat(std::size_t i);
  /// Pieces of attention, by the traced tensors that they are.
  AttentionPieces& attention() { return attention_; }
  ImageNoises& noises() { return noises_; }
  const torch::jit::Node& node() const { return *node_; }
  /// The node counts training steps in the buffer that is its argument `i`.
  void count_steps(std::size_t i);

  [[noreturn]] void unsupported(const std::string& why) const;

 private:
  struct Parameter {
    ParameterId id;
    torch::Tensor tensor;
    std::string name;
  };

  const torch::jit::Value* input(std::size_t i) const;
  /// The parameter that `value` is or shows; null where it is none.
  const Parameter* find_parameter(const torch::jit::Value* value) const;

  /// What argument `i` is a constant of.
  template <typename T>
  T given(std::optional<T> (*constant)(const torch::jit::Value&), std::size_t i) const {
    auto value = constant(*input(i));
    if (!value) unsupported("its argument " + std::to_string(i) + " varies");
    return *std::move(value);
  }

  void lower_node();
  void finish_output(const torch::jit::Graph& graph);

  // What LibTorch computes: nodes that lie behind one another.
  void lower_region(const std::vector<const torch::jit::Node*>& nodes);
  /// Asks for the nodes up to `last`, too, and throws.
  [[noreturn]] void extend_region(const std::vector<const torch::jit::Node*>& nodes,
                                  const torch::jit::Node& last);
  /// What `result` needs and does not flow between layers, with what writes into it before.
  std::unordered_set<const torch::jit::Node*> nodes_for(const torch::jit::Value& result) const;
  AtenRegion region_of(const torch::jit::Value& result) const;
  /// What `value` is to a region; nothing where it is to be computed in it.
  std::optional<AtenInput> region_input(const torch::jit::Value& value) const;
  void add_region(AtenRegion region, const torch::jit::Value& result);

  const torch::jit::Graph& traced_;
  const AtenNodes& by_aten_;
  const Views& views_;
  std::vector<const torch::jit::Node*> wanted_;
  const torch::jit::Node* node_ = nullptr;
  LayerGraph graph_;
  std::unordered_map<const torch::jit::Value*, ValueId> values_;
  std::unordered_map<const torch::jit::Value*, Order> orders_;  // where channels are not first
  std::unordered_map<const torch::jit::Value*, Parameter> parameters_;
  std::unordered_map<const torch::jit::Value*, ParameterId> transposed_, repeated_;
  AttentionPieces attention_;
  ImageNoises noises_;
  std::uint32_t dropouts_ = 0;  // so far
  std::vector<Parameter> by_id_;
  std::unordered_map<const torch::jit::Value*, torch::Tensor> buffers_;
};

/// Adds the layers of the node at which `lowering` is.
using LowerOperator = void (*)(Lowering& lowering);

/// What lowers `op` (`aten::linear`), by operators.def; null where it is not supported.
LowerOperator find_operator(const std::string& op);

/// The graph of `model`, or of its beginning, as layers, activations fused.
/// @throws UnsupportedModel
LayerGraph lower(const TracedGraph& traced, const Model& model);

}  // namespace yoke::compiled
