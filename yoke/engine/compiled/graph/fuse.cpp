#include "yoke/engine/compiled/graph/fuse.h"

#include "yoke/engine/compiled/activation.h"

namespace yoke::compiled {
namespace {

Layer* producer(LayerGraph& graph, ValueId value) {
  for (auto& layer : graph.layers) {
    if (layer->output == value) return layer.get();
  }
  return nullptr;
}

/// The layer that alone reads `value`; null where there is none.
Layer* only_reader(LayerGraph& graph, ValueId value) {
  if (graph.readers(value) != 1) return nullptr;
  for (auto& layer : graph.layers) {
    if (layer->inputs.size() == 1 && layer->inputs.front() == value) return layer.get();
  }
  return nullptr;
}

/// Lets `layer` do what the activation after it does, and takes that away.
void remove(LayerGraph& graph, std::size_t activation, Layer& layer) {
  layer.output = graph.layers[activation]->output;
  graph.layers.erase(graph.layers.begin() + static_cast<std::ptrdiff_t>(activation));
}

}  // namespace

void fuse_activations(LayerGraph& graph) {
  for (std::size_t i = graph.layers.size(); i-- > 0;) {
    auto* const activation = dynamic_cast<ActivationLayer*>(graph.layers[i].get());
    if (activation == nullptr) continue;
    // A ReLU before a max pooling works on more pixels than one after it.
    Layer* const next = only_reader(graph, activation->output);
    if (next != nullptr && next->commutes_with_relu() && activation->activation.is_relu() &&
        next->fuse(activation->activation)) {
      next->inputs = activation->inputs;
      graph.layers.erase(graph.layers.begin() + static_cast<std::ptrdiff_t>(i));
      continue;
    }
    const ValueId before = activation->inputs.front();
    Layer* const layer = producer(graph, before);
    if (layer == nullptr || graph.readers(before) != 1) continue;
    if (layer->fuse(activation->activation)) remove(graph, i, *layer);
  }
}

}  // namespace yoke::compiled
