// yoke/engine/eager/step_graph.h: a step recorded once and played again, by CUDA graphs.
#pragma once
#include <torch/types.h>

#include <functional>
#include <memory>

namespace yoke {

/// Work that is recorded once and then done as often as wanted, in the same memory each time, at
/// the cost of one launch.
class StepGraph {
 public:
  virtual ~StepGraph() = default;

  /// Does `work` in the stream that it will be recorded in, after all that the caller's stream was
  /// given before, and before what comes after.
  virtual void rehearse(const std::function<void()>& work) = 0;

  /// Records `work`, which may not be done meanwhile; called once. What it allocates stays.
  /// @throws Error where `work` waits for the device, or else cannot be recorded.
  virtual void record(const std::function<void()>& work) = 0;

  /// Does what was recorded, in the caller's stream.
  virtual void replay() = 0;
};

/// A CUDA graph on `device`. @throws UsageError on a processor, and where LibTorch has no CUDA or
/// is older than 2.2, whose recording forbids all other threads to allocate.
std::unique_ptr<StepGraph> make_step_graph(torch::Device device);

}  // namespace yoke
