#include "yoke/engine/compiled/graph/layer_graph.h"

#include <algorithm>

namespace yoke::compiled {

bool Layer::fuse(const Activation&) { return false; }

bool LayerGraph::mixes_images() const {
  return std::any_of(layers.begin(), layers.end(),
                     [](const auto& layer) { return layer->mixes_images(); });
}

double LayerGraph::flops() const {
  double sum = 0;
  for (const auto& layer : layers) sum += layer->flops();
  return sum;
}

int LayerGraph::readers(ValueId value) const {
  int count = value == output ? 1 : 0;
  for (const auto& layer : layers) {
    count += static_cast<int>(std::count(layer->inputs.begin(), layer->inputs.end(), value));
  }
  return count;
}

std::vector<bool> wanted_gradients(const LayerGraph& graph) {
  std::vector<bool> wanted(graph.values.size(), false);
  for (const auto& layer : graph.layers) {
    bool is_wanted = layer->learns();
    for (const ValueId input : layer->inputs) {
      is_wanted = is_wanted || wanted[static_cast<std::size_t>(input)];
    }
    wanted[static_cast<std::size_t>(layer->output)] = is_wanted;
  }
  return wanted;
}

}  // namespace yoke::compiled
