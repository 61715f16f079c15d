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

/// The same work again and again, from its fourth time on as a graph. In three rehearsals libraries
/// choose algorithms and make what they keep.
class RepeatedWork {
 public:
  explicit RepeatedWork(std::unique_ptr<StepGraph> graph) : graph_(std::move(graph)) {}

  /// Does `work`, which reads and writes the same memory each time once it is recorded.
  void run(const std::function<void()>& work);

  bool rehearses() const { return rehearsals_ < kRehearsals; }  ///< The next time.
  bool recorded() const { return recorded_; }
  void begin_again() { rehearsals_ = 0; }  ///< With other work; before it is recorded.

 private:
  static constexpr int kRehearsals = 3;

  const std::unique_ptr<StepGraph> graph_;
  int rehearsals_ = 0;
  bool recorded_ = false;
};

}  // namespace yoke
