// yoke/engine/compiled/builder.h: turns layers into the steps of a plan.
#pragma once
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "yoke/engine/compiled/graph/layer_graph.h"
#include "yoke/engine/compiled/memory/parameters.h"
#include "yoke/engine/compiled/memory/statistics.h"
#include "yoke/engine/compiled/plan.h"
#include "yoke/engine/convolution_algorithm.h"
#include "yoke/engine/loss.h"

namespace yoke::compiled {

/// What the plans of one replica share.
struct Workspace {
  dnnl::engine engine;
  dnnl::stream stream;
  WeightStore& weights;
  GradientStore& gradients;
  StatisticsStore& statistics;
  int replica = 0;
};

/// What decides a plan.
struct PlanOptions {
  std::int64_t batch = 1;  ///< Images of a run.
  std::int64_t runs = 1;   ///< Of all replicas in a step.
  std::int64_t parts = 1;  ///< Of the batch, in sections of layers that do not see all of it.
  /// From this layer on, layers see the batch at once, as if they mixed images, and so does the
  /// loss.
  std::size_t whole_from = std::numeric_limits<std::size_t>::max();
  bool training = true;                                         ///< With loss and backward pass.
  dnnl::memory::data_type type = dnnl::memory::data_type::f32;  ///< Of activations and weights.
  ConvolutionAlgorithm convolution = ConvolutionAlgorithm::kAuto;
  LossOptions loss = {};
};

/// Plans one layer: asked for its forward pass, and later, where there is one, its backward pass.
class LayerPlan {
 public:
  virtual ~LayerPlan() = default;
  virtual void forward(class Builder& builder) = 0;
  virtual void backward(Builder& builder) = 0;
};

/// Makes a plan. Memory is live from the step that touches it first to the one that touches it
/// last; asking for a memory object touches its buffer for the step that is added next.
class Builder {
 public:
  Builder(const LayerGraph& graph, Workspace& workspace, const PlanOptions& options);

  std::unique_ptr<Plan> build();

  // What every layer asks.
  const dnnl::engine& engine() const { return workspace_.engine; }
  const PlanOptions& options() const { return options_; }
  /// Images that the steps being planned see at once.
  std::int64_t batch() const { return options_.batch / section().parts; }
  /// In which they see the batch.
  std::int64_t parts() const { return section().parts; }
  /// How often all replicas run these steps in a step of training.
  std::int64_t runs() const { return options_.runs * section().parts; }
  dnnl::memory::data_type type() const { return options_.type; }
  bool training() const { return options_.training; }
  Workspace& workspace() { return workspace_; }
  const Value& value(ValueId id) const { return graph_.values[static_cast<std::size_t>(id)]; }
  bool is_output(ValueId id) const { return id == graph_.output; }

  // Activations.
  /// As its producer left it.
  Tensor tensor(ValueId id) const;
  /// As [N, F] in the order of LibTorch.
  Tensor features(ValueId id);
  /// New memory for the result of the layer being planned.
  Tensor define(ValueId id, Format format, dnnl::memory::data_type type);
  void define_as(ValueId id, const Tensor& tensor);
  /// New memory.
  Tensor temporary(const ImageShape& shape, Format format, dnnl::memory::data_type type);
  /// `tensor` itself where it is so already; touched for the step that is added next.
  Tensor converted(const Tensor& tensor, Format format, dnnl::memory::data_type type);

  // Memory.
  Buffer* buffer(std::size_t bytes);
  void touch(Buffer* buffer);
  dnnl::memory memory(const dnnl::memory::desc& desc, Buffer* buffer);
  dnnl::memory memory(const Tensor& tensor) { return memory(tensor.desc(), tensor.buffer); }
  /// Touches a tensor for a kernel of our own and returns it.
  Tensor use(const Tensor& tensor);

  // Steps.
  Step& add(std::string operation, std::function<void(const MicroBatch&)> run);
  /// Executes `primitive`, which was made with a scratchpad of the caller's.
  Step& execute(const std::string& operation, const dnnl::primitive& primitive,
                const dnnl::memory::desc& scratchpad,
                std::unordered_map<int, dnnl::memory> arguments);
  /// As above; `gradients` by argument are of parameters.
  Step& execute(const std::string& operation, const dnnl::primitive& primitive,
                const dnnl::memory::desc& scratchpad,
                std::unordered_map<int, dnnl::memory> arguments,
                std::vector<std::pair<int, GradientTarget>> gradients);

  // Gradients of activations.
  bool wants_gradient(ValueId id) const { return wants_gradient_[static_cast<std::size_t>(id)]; }
  bool has_gradient(ValueId id) const;
  /// The sum of what the readers of `id` contributed; call once.
  Tensor gradient(ValueId id);
  /// New memory for a part of the gradient of `id`.
  Tensor contribute(ValueId id, Format format, dnnl::memory::data_type type);
  void contribute(ValueId id, const Tensor& part);

  // Parameters.
  dnnl::memory weights(ParameterId id, const dnnl::memory::dims& dims,
                       const dnnl::memory::desc& wanted);
  dnnl::memory weights(ParameterId id, const dnnl::memory::dims& dims,
                       const dnnl::memory::desc& made, WeightStore::Convert convert);
  GradientTarget gradient_of(ParameterId id, const dnnl::memory::dims& dims,
                             const dnnl::memory::desc& desc);

 private:
  void plan_layers();
  /// Plans what follows for the whole batch at once, or for one of its parts after the other.
  void enter_section(bool whole_batch);
  bool sees_whole_batch(std::size_t layer) const;
  void end_section() { plan_->sections_.back().last = plan_->steps_.size(); }
  const Section& section() const { return plan_->sections_.back(); }
  Tensor seen_here(Tensor tensor) const;
  Tensor summed(ValueId id, std::vector<Tensor>& parts);

  const LayerGraph& graph_;
  Workspace& workspace_;
  PlanOptions options_;
  std::unique_ptr<Plan> plan_;
  std::vector<Tensor> tensors_;             // by ValueId
  std::vector<std::vector<Tensor>> parts_;  // of gradients, by ValueId
  std::vector<bool> wants_gradient_;        // by ValueId
  std::map<ParameterId, std::size_t> met_;  // parameters with a gradient so far: its last step
  std::vector<ParameterId> asked_;          // by the layer being planned
  std::string layer_;                       // being planned
  Pass pass_ = Pass::kForward;
};

/// Whether oneDNN fell back to code for formats and shapes that it has no fast code for.
template <typename Description>
bool is_slow(const Description& description) {
  const std::string name = description.impl_info_str();
  return name.find("ref") != std::string::npos || name.find("gemm") != std::string::npos;
}

/// Whether it multiplies by the processor's matrix unit (AMX), several times as fast as by vectors.
template <typename Description>
bool uses_matrix_unit(const Description& description) {
  return std::string_view(description.impl_info_str()).find("amx") != std::string_view::npos;
}

/// `make(false)` describes a primitive in the formats that its tensors have, `make(true)` in those
/// that oneDNN likes best: takes the first unless the second is worth converting tensors for.
template <typename Make>
auto prefer_given_formats(const Make& make) {
  try {
    auto given = make(false);
    if (uses_matrix_unit(given)) return given;
    auto free = make(true);
    return is_slow(given) || uses_matrix_unit(free) ? free : given;
  } catch (const dnnl::error&) {  // no code at all for these formats
    return make(true);
  }
}

}  // namespace yoke::compiled
