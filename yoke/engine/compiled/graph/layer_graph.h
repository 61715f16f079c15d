// yoke/engine/compiled/graph/layer_graph.h: what a model computes, layer by layer, for any batch
// size.
#pragma once
#include <torch/types.h>

#include <memory>
#include <string>
#include <vector>

#include "yoke/core/image_shape.h"

namespace yoke::compiled {

class LayerPlan;
struct Activation;

/// The index of a value that flows between layers.
using ValueId = int;

/// What flows between layers, per image: [C, H, W], or [F] as shape {F, 1, 1}. A flattened value
/// keeps the [C, H, W] in which it lies in memory: its features are those elements in that order.
struct Value {
  ImageShape shape;
  bool flat = false;
};

/// One operation of the network.
class Layer {
 public:
  virtual ~Layer() = default;

  /// Of its operation: `convolution`.
  virtual std::string kind() const = 0;

  /// Takes over `activation`, which follows directly; false where it cannot.
  virtual bool fuse(const Activation& activation);

  /// Whether it does not matter if a ReLU comes before or after.
  virtual bool commutes_with_relu() const { return false; }

  /// Whether it normalises over the batch, so that a batch cannot be computed in parts.
  virtual bool mixes_images() const { return false; }

  /// Floating point operations of the forward pass per image, multiplications and additions of the
  /// matrix kind only.
  virtual double flops() const { return 0; }

  virtual bool has_parameters() const { return false; }
  /// Whether a step moves parameters of it.
  bool learns() const { return has_parameters() && !frozen; }

  /// Starts planning it.
  virtual std::unique_ptr<LayerPlan> plan() const = 0;

  bool frozen = false;  ///< None of its parameters learns.
  std::string name;     ///< Of its parameters (`layer1.0.conv1`), else of its kind.
  std::vector<ValueId> inputs;
  ValueId output = -1;
};

/// A network: layers in an order in which they can run.
struct LayerGraph {
  static constexpr ValueId kInput = 0;

  std::vector<Value> values;  ///< By ValueId.
  std::vector<std::unique_ptr<Layer>> layers;
  ValueId output = kInput;
  std::vector<torch::Tensor> counters;  ///< Buffers that a training step increments, int64 [].
  std::string refused;  ///< Why not all of its operators have layers; empty where they have.

  bool mixes_images() const;
  /// Floating point operations of a forward pass per image.
  double flops() const;
  /// Layers that read `value`.
  int readers(ValueId value) const;
};

/// By ValueId: whether something before it learns, so that its gradient is wanted.
std::vector<bool> wanted_gradients(const LayerGraph& graph);

}  // namespace yoke::compiled
