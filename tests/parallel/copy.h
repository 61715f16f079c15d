// tests/parallel/copy.h: one rank of a training that a test takes step by step.
#pragma once
#include <torch/utils.h>

#include <memory>
#include <string>

#include "tests/parallel/training.h"
#include "yoke/comm/factory.h"
#include "yoke/engine/eager/eager.h"

namespace yoke::test {

/// What one rank has: the classifier, plain SGD, a strategy, and a buffer that only the strategy
/// and the test change. Epochs have 4 steps, the run 100.
struct Copy {
  Copy(const Group& group, const std::string& text) : Copy(group, text, classifier(group.rank)) {}

  Copy(const Group& group, const std::string& text, Model start)
      : communicator(make_communicator("shared-memory", group)),
        model(std::move(start)),
        parameters(*model.module),
        engine(make_eager_engine(model, parameters)),
        strategy(make_strategy(text, {*engine, parameters, {buffer}, *communicator, "sgd"})) {
    at::set_num_threads(1);
  }

  void begin(int first_step = 0) const {
    strategy->begin({.first_step = first_step, .epochs = Epochs(4), .total_steps = 100});
  }

  /// On this rank's share of 17 images.
  void take_step(int step) const {
    const DataShard shard = strategy->workers().data_shard();
    strategy->step(share_of(batch_of(17), shard.index, shard.count), {.step = step}, {.lr = 0.1});
  }

  torch::Tensor& values() { return parameters.values(); }  ///< fp32 [P].

  std::unique_ptr<Communicator> communicator;
  Model model;
  FlatParameters parameters;
  torch::Tensor buffer = torch::zeros({3});
  std::unique_ptr<Engine> engine;
  std::unique_ptr<Strategy> strategy;
};

}  // namespace yoke::test
