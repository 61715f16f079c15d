// yoke/engine/compiled/graph/fuse.h: layers that are better computed together.
#pragma once
#include "yoke/engine/compiled/graph/layer_graph.h"

namespace yoke::compiled {

/// Moves each ReLU behind a layer that commutes with it, then hands each activation to the layer
/// before it where that layer can take it over.
void fuse_activations(LayerGraph& graph);

}  // namespace yoke::compiled
