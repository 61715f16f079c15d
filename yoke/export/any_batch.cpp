#include "yoke/export/any_batch.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "yoke/core/error.h"
#include "yoke/export/node_place.h"

namespace yoke {
namespace {

using torch::jit::Graph, torch::jit::IValue, torch::jit::Node, torch::jit::Value;

[[noreturn]] void refuse_other(const Node& node) {
  throw Error(
      fmt::format("the model cannot be exported for any number of images: {} depends on how many "
                  "there are, in a way that is neither a size nor a multiple of it",
                  describe_place(node)));
}

bool equal_values(const IValue& a, const IValue& b) {
  if (a.isTensor() && b.isTensor()) {
    const auto &first = a.toTensor(), &second = b.toTensor();
    if (!first.defined() || !second.defined()) return first.defined() == second.defined();
    return first.scalar_type() == second.scalar_type() && first.equal(second);
  }
  return a.tagKind() == b.tagKind() && a == b;
}

/// Whether both are the same operator with the same inputs.
bool same_operator(const Node& a, const Node& b) {
  if (a.kind() != b.kind() || a.inputs().size() != b.inputs().size() ||
      a.outputs().size() != b.outputs().size()) {
    return false;
  }
  for (std::size_t i = 0; i < a.inputs().size(); ++i) {
    if (a.input(i)->debugName() != b.input(i)->debugName()) return false;
  }
  return true;
}

/// What a reader knows `node` by: an operator; for a constant the one that takes it, maybe in a
/// list.
const Node& operator_of(const Node& node) {
  const Node* found = &node;
  while (found->kind() == torch::jit::prim::Constant ||
         found->kind() == torch::jit::prim::ListConstruct) {
    if (!found->output()->hasUses()) break;
    found = found->output()->uses().front().user;
  }
  return *found;
}

/// Goes through two traces side by side.
class AnyBatch {
 public:
  AnyBatch(Graph& graph, std::int64_t few, std::int64_t more)
      : graph_(graph), few_(few), more_(more) {}

  void compare(Node& node, const Node& other) {
    if (!same_operator(node, other)) refuse_other(node);
    for (std::size_t i = 0; i < node.outputs().size(); ++i) {
      join_sizes(*node.output(i), *other.output(i));
    }
    if (node.kind() == torch::jit::prim::Constant) compare_constants(node, other);
  }

  void join_sizes(Value& value, const Value& other) const {
    const auto type = value.type()->cast<c10::TensorType>();
    const auto other_type = other.type()->cast<c10::TensorType>();
    if (type && other_type) value.setType(type->merge(*other_type));
  }

  /// Computes the numbers that were found to be multiples of the images. Only once all is compared,
  /// for names of values change.
  void replace_multiples() {
    if (multiples_.empty()) return;
    const torch::jit::WithInsertPoint first(*graph_.nodes().begin());
    Value* const images = graph_.insert(c10::aten::size, {graph_.inputs()[0], 0});
    for (const auto& [constant, factor] : multiples_) {
      constant->replaceAllUsesWith(factor == 1 ? images
                                               : graph_.insert(c10::aten::mul, {images, factor}));
    }
  }

 private:
  void compare_constants(Node& node, const Node& other) {
    const auto a = torch::jit::toIValue(node.output()), b = torch::jit::toIValue(other.output());
    if (!a || !b || equal_values(*a, *b)) return;
    if (!a->isInt() || !b->isInt() || a->toInt() % few_ != 0 ||
        b->toInt() != a->toInt() / few_ * more_) {
      refuse_other(operator_of(node));
    }
    multiples_.emplace_back(node.output(), a->toInt() / few_);
  }

  Graph& graph_;
  std::int64_t few_, more_;
  std::vector<std::pair<Value*, std::int64_t>> multiples_;
};

}  // namespace

void allow_any_batch(Graph& few, const Graph& more, std::int64_t few_images,
                     std::int64_t more_images) {
  AnyBatch any(few, few_images, more_images);
  any.join_sizes(*few.inputs()[0], *more.inputs()[0]);
  auto other = more.nodes().begin();
  for (Node* const node : few.nodes()) {
    if (other == more.nodes().end()) refuse_other(*node);
    any.compare(*node, **other);
    ++other;
  }
  if (other != more.nodes().end()) refuse_other(**other);
  any.replace_multiples();
}

}  // namespace yoke
