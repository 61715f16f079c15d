// yoke/engine/compiled/graph/heavy_end.h: the layers at the end of a network, where they have most
// of its parameters.
#pragma once
#include <cstddef>

#include "yoke/core/flat_parameters.h"
#include "yoke/engine/compiled/graph/layer_graph.h"

namespace yoke::compiled {

/// The first of the layers at the end of `graph` whose results are features, mostly linear ones:
/// few numbers for an image. graph.layers.size() unless they have most of the numbers that learn.
std::size_t begin_of_heavy_end(const LayerGraph& graph, const FlatParameters& parameters);

}  // namespace yoke::compiled
