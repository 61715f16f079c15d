// yoke/engine/compiled/graph/views.h: which tensors of a traced graph lie in the same memory.
#pragma once
#include <torch/csrc/jit/ir/ir.h>

#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace yoke::compiled {

/// Whether `node` changes its first input; in place operators end in `_`.
bool changes_its_input(const torch::jit::Node& node);

/// Views of tensors, by the origin that they show; what shows no other is its own.
class Views {
 public:
  explicit Views(const torch::jit::Graph& graph);

  const torch::jit::Value* origin(const torch::jit::Value* value) const;
  /// Nodes that change the memory of `origin`, in their order.
  std::vector<const torch::jit::Node*> writers(const torch::jit::Value* origin) const;
  /// Whether `origin`, or what was written into it, is computed from the graph's first input.
  bool is_of_images(const torch::jit::Value* origin) const { return of_images_.contains(origin); }

 private:
  void add(const torch::jit::Node& node);

  std::unordered_map<const torch::jit::Value*, const torch::jit::Value*> origins_;
  std::unordered_map<const torch::jit::Value*, std::vector<const torch::jit::Node*>> writers_;
  std::unordered_set<const torch::jit::Value*> of_images_;  // origins
};

}  // namespace yoke::compiled
