#include "yoke/engine/compiled/graph/heavy_end.h"

#include <set>
#include <string>

namespace yoke::compiled {
namespace {

bool is_features(const ImageShape& shape) { return shape.height == 1 && shape.width == 1; }

/// Of `conv1.weight`: `conv1`.
std::string module_of(const ParameterSlice& slice) {
  const auto dot = slice.name.rfind('.');
  return dot == std::string::npos ? "" : slice.name.substr(0, dot);
}

}  // namespace

HeavyEnd heavy_end(const LayerGraph& graph, const FlatParameters& parameters) {
  std::size_t begin = graph.layers.size();
  std::set<std::string> names;
  while (begin > 0) {
    const Layer& layer = *graph.layers[begin - 1];
    if (!is_features(graph.values[static_cast<std::size_t>(layer.output)].shape)) break;
    names.insert(layer.name);
    --begin;
  }
  std::int64_t all = 0, own = 0;
  for (const auto& slice : parameters.slices()) {
    if (slice.frozen) continue;
    all += slice.elements;
    if (names.contains(module_of(slice))) own += slice.elements;
  }
  if (2 * own <= all) begin = graph.layers.size();
  std::int64_t values_before = 0;
  for (std::size_t i = 0; i < begin; ++i) {
    const Layer& layer = *graph.layers[i];
    values_before += graph.values[static_cast<std::size_t>(layer.output)].shape.elements();
  }
  return {begin, values_before};
}

}  // namespace yoke::compiled
