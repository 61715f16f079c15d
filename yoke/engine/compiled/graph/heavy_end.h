// yoke/engine/compiled/graph/heavy_end.h: the layers at the end of a network, where they have most
// of its parameters.
#pragma once
#include <cstddef>
#include <cstdint>

#include "yoke/core/flat_parameters.h"
#include "yoke/engine/compiled/graph/layer_graph.h"

namespace yoke::compiled {

/// The layers at the end of a graph whose results are features, mostly linear ones: few numbers
/// for an image.
struct HeavyEnd {
  std::size_t begin;           ///< Their first.
  std::int64_t values_before;  ///< Numbers of an image in the results of the layers before them.
};

/// begin = graph.layers.size() unless these layers have most of the numbers that learn.
HeavyEnd heavy_end(const LayerGraph& graph, const FlatParameters& parameters);

}  // namespace yoke::compiled
