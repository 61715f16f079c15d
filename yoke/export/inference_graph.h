// yoke/export/inference_graph.h: what a model computes once it is trained, for any number of
// images.
#pragma once
#include <torch/csrc/jit/ir/ir.h>
#include <torch/types.h>

#include <memory>
#include <string>
#include <vector>

#include "yoke/models/model.h"

namespace yoke {

/// A tensor that a model has learned or counted.
struct ExportedTensor {
  std::string name;      ///< In the module: `layer1.0.conv1.weight`.
  torch::Tensor values;  ///< Detached; it may be a view of a larger one.
  bool is_buffer = false;
};

/// LibTorch's operators from images to scores, in evaluation mode.
struct InferenceGraph {
  /// Its inputs are `input`, fp32 [N, C, H, W], then `tensors`; its output is scores [N, classes].
  /// Sizes that depend on N are unknown in the types of its values.
  std::shared_ptr<torch::jit::Graph> graph;
  std::vector<ExportedTensor> tensors;  ///< Those that it uses.
};

/// Traces `model`, which stays as it was, and leaves out its dropouts.
/// @throws Error when it cannot be traced, or computes otherwise for other numbers of images.
InferenceGraph inference_graph(const Model& model);

/// Removes what no result depends on: nodes, and inputs with their tensors.
void remove_unused(InferenceGraph& inference);

}  // namespace yoke
