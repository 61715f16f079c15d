// yoke/engine/compiled/plan.h: a network's steps for one batch size, with their memory laid out.
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "yoke/core/enum_words.h"
#include "yoke/engine/compiled/section.h"
#include "yoke/engine/engine.h"

namespace yoke::compiled {

/// The index of a parameter in FlatParameters::slices().
using ParameterId = int;

/// What one run of a plan works on.
struct MicroBatch {
  const void* input = nullptr;                 ///< As the plan's input tensor.
  const std::int64_t* target = nullptr;        ///< [n]; null for inference.
  const std::int64_t* other_target = nullptr;  ///< [n], see Batch; null: none is mixed.
  const float* other_share = nullptr;          ///< [n], with it.
  float* scores = nullptr;                     ///< fp32 [n, classes], filled.
  double* losses = nullptr;                    ///< [n], filled: the loss of each image.
  std::int64_t first_image = 0;                ///< Index of the first image in the step's batch.
  std::int64_t step_images = 0;                ///< Images of that: losses are divided by it.
  StepKey key;
  bool accumulate = false;  ///< Add parameter gradients to those that are there.
  bool last = true;         ///< No more follow in this step.
  /// Hears of parameters whose gradient is done, unless null.
  const std::function<void(ParameterId)>* completed = nullptr;
  std::int64_t part = 0;  ///< Of the section of the plan that is running.

  /// What is left of it from its `images`-th image on.
  MicroBatch from(std::int64_t images, std::int64_t image_elements, std::int64_t classes) const;
};

/// Which pass a step belongs to, for tables of times.
enum class Pass { kForward, kBackward, kOther };

}  // namespace yoke::compiled

template <>
struct yoke::EnumWords<yoke::compiled::Pass> {
  static constexpr std::string_view kWords[] = {"forward", "backward", "other"};
};

namespace yoke::compiled {

/// One call of a primitive or kernel.
struct Step {
  std::string layer;      ///< Its layer's name.
  std::string operation;  ///< `convolution (jit:avx512_core)`.
  Pass pass = Pass::kOther;
  double flops = 0;        ///< Of the matrix kind.
  bool primitive = false;  ///< The network's own arithmetic in oneDNN: no reorder, no sum.
  std::function<void(const MicroBatch&)> run;
  std::vector<ParameterId> completes = {};  ///< Whose gradients are done after it.

  /// For people: `conv1 backward: convolution (jit:avx512_core)`.
  std::string name() const;
};

/// Everything that was allocated and created for one batch size; runs on one thread.
class Plan {
 public:
  /// Runs the step of that index.
  using RunStep = std::function<void(std::size_t, const MicroBatch&)>;

  /// Bytes of memory it needs.
  std::size_t bytes() const { return bytes_; }
  /// Of it, the most that a part of the batch touches before the next one does.
  std::size_t bytes_at_once() const;

  /// Gives it `arena`, bytes() large and aligned to 64 bytes; shared with plans that do not run at
  /// the same time.
  void bind(std::byte* arena);

  /// Runs every step in order.
  void run(const MicroBatch& micro);

  /// Has `run_step` run them: for each part of a section, each step of it.
  void walk(const MicroBatch& micro, const RunStep& run_step);

  const std::vector<Step>& steps() const { return steps_; }
  std::int64_t batch() const { return batch_; }
  /// How MicroBatch::input must lie.
  const Tensor& input() const { return input_; }

 private:
  friend class Builder;

  void lay_out();
  void set_input(const void* data);
  MicroBatch part_of(const MicroBatch& micro, std::int64_t part, std::int64_t parts) const;

  std::int64_t batch_ = 0;
  std::int64_t classes_ = 0;
  Buffer input_buffer_;
  Tensor input_;
  std::vector<dnnl::memory> input_memories_;
  std::vector<Step> steps_;
  std::deque<Buffer> buffers_;  // addresses stay
  std::vector<Section> sections_;
  std::byte* arena_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace yoke::compiled
