// yoke/report/tensorboard/graph.h: a traced model as TensorBoard's picture of it.
#pragma once
#include "yoke/report/tensorboard/tensorboard.pb.h"

namespace torch::jit {
struct Graph;
}

namespace yoke {

/// The nodes and edges of a traced graph.
///
/// The graph's first input is the model's; each of the others is a parameter or buffer, with its
/// name of the state dict as debug name (`layer1.0.conv1.weight`), and is shown, if used, within
/// its layer. An operator is in the layer of its first parameter, and one without parameters in
/// what the layers before and after it have in common. Constants and lists of them become
/// attributes of the operator they are for.
tensorboard::GraphDef graph_definition(const torch::jit::Graph& graph);

}  // namespace yoke
