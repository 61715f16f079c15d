// tests/optim/problem.h: a small problem for optimizers, the same for Yoke's and for LibTorch's.
#pragma once
#include <torch/nn/modules/linear.h>
#include <torch/types.h>
#include <torch/utils.h>

#include "yoke/core/flat_parameters.h"
#include "yoke/optim/optimizer.h"

namespace yoke::test {

/// A linear layer of 7 inputs and 3 outputs with fixed random weights, data and targets.
struct Problem {
  torch::nn::Linear layer{nullptr};
  torch::Tensor inputs, targets;

  Problem() {
    torch::manual_seed(5);
    layer = torch::nn::Linear(7, 3);
    inputs = torch::randn({16, 7});
    targets = torch::randn({16, 3});
  }

  /// Mean squared error; leaves the gradient.
  torch::Tensor loss() {
    for (auto& parameter : layer->parameters()) {
      if (parameter.grad().defined()) parameter.mutable_grad().zero_();
    }
    const auto loss = (layer->forward(inputs) - targets).square().mean();
    loss.backward();
    return loss.detach();
  }
};

/// A problem, its parameters and the optimizer that `text` names.
struct OptimizerRun {
  explicit OptimizerRun(const std::string& text) : optimizer(make_optimizer(text, parameters)) {}

  torch::Tensor step(const Rates& rates) {
    return optimizer->step([this] { return problem.loss(); }, rates);
  }

  Problem problem;
  FlatParameters parameters{*problem.layer};
  std::unique_ptr<Optimizer> optimizer;
};

/// Copies every state tensor of `from` into `to`, as a resume does.
inline void copy_state(Optimizer& from, Optimizer& to) {
  const auto source = from.state();
  auto target = to.state();
  TORCH_CHECK(source.size() == target.size());
  for (std::size_t i = 0; i < source.size(); ++i) {
    TORCH_CHECK(source[i].first == target[i].first);
    target[i].second.copy_(source[i].second);
  }
}

}  // namespace yoke::test
