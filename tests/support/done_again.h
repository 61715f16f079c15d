// tests/support/done_again.h: a graph of work for tests without a GPU.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "yoke/core/step_graph.h"

namespace yoke::test {

/// What a graph was asked for.
using Calls = std::vector<std::string>;

/// Recording does nothing, as with CUDA's; a replay does the work, which reads and writes what it
/// did when it was recorded.
class DoneAgain final : public StepGraph {
 public:
  explicit DoneAgain(Calls& calls) : calls_(calls) {}

  void rehearse(const std::function<void()>& work) override {
    calls_.emplace_back("rehearse");
    work();
  }
  void record(const std::function<void()>& work) override {
    calls_.emplace_back("record");
    work_ = work;
  }
  void replay() override {
    calls_.emplace_back("replay");
    work_();
  }

 private:
  Calls& calls_;
  std::function<void()> work_;
};

}  // namespace yoke::test
