// yoke/engine/compiled/graph/aten_region.h: a part of a traced graph that LibTorch's own operators
// compute.
#pragma once
#include <torch/csrc/jit/ir/ir.h>

#include <cstdint>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "yoke/engine/compiled/graph/layer_graph.h"
#include "yoke/engine/compiled/graph/order.h"
#include "yoke/engine/compiled/graph/traced.h"
#include "yoke/engine/compiled/plan.h"

namespace yoke::compiled {

/// Operators that have no layers, by their nodes.
using AtenNodes = std::set<const torch::jit::Node*>;

/// What a region takes: a value of the network, a parameter, or a buffer.
struct AtenInput {
  struct Flowing {
    ValueId value;
    Order order;
  };
  struct Learned {
    ParameterId parameter;
    bool learns;
  };
  std::variant<Flowing, Learned, torch::Tensor> source;
  std::vector<std::int64_t> sizes;  ///< Of the first two kinds, for kTracedImages images.
};

/// Operators with one result that matters, whose inputs are images and constants.
struct AtenRegion {
  TracedGraph graph;                   ///< Its inputs are `inputs`, in that order.
  std::vector<AtenInput> inputs;       ///< Each once.
  std::vector<std::int64_t> sizes;     ///< Of the result, for kTracedImages images.
  std::vector<std::string> operators;  ///< Their names: `aten::pixel_shuffle`.

  /// Whether an operator changes its argument, which then must not be what others read.
  bool changes_arguments() const;
  /// Of `images`: sizes that the trace wrote down for its own are theirs.
  TracedGraph graph_for(std::int64_t images) const;
  /// `sizes` for so many.
  static std::vector<std::int64_t> sizes_for(std::vector<std::int64_t> sizes, std::int64_t images);
};

/// Says why `node` cannot be part of a region: it draws numbers, or changes what is not its own;
/// empty where it can.
std::string why_not_in_region(const torch::jit::Node& node);

/// Whether it gives images that are computed together what it gives each of them alone, for numbers
/// drawn at random.
bool keeps_images_apart(const AtenRegion& region);

/// Whether `node` only makes what others take: a constant, or a list.
bool is_part_of_arguments(const torch::jit::Node& node);

}  // namespace yoke::compiled
