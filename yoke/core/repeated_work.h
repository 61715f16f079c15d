// yoke/core/repeated_work.h: the same work again and again, at the cost of one launch.
#pragma once
#include <functional>
#include <memory>
#include <utility>

#include "yoke/core/step_graph.h"

namespace yoke {

/// Work that is a graph from its fourth time on. In three rehearsals libraries choose algorithms
/// and make what they keep.
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
