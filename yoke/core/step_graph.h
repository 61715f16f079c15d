// yoke/core/step_graph.h: work recorded once and played again, as by CUDA graphs.
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

/// Makes one for work on a device. @throws UsageError where there is none for it.
using MakeStepGraph = std::function<std::unique_ptr<StepGraph>(torch::Device)>;

}  // namespace yoke
