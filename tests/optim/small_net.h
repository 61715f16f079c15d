// tests/optim/small_net.h: a small network on fixed data, whole or cut into parts over ranks.
#pragma once
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/linear.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/support/ranks.h"
#include "yoke/comm/factory.h"
#include "yoke/core/flat_parameters.h"
#include "yoke/optim/optimizer.h"

namespace yoke::test {

/// Whole numbers from -50 to 50 in no order, over 64: exact in fp32, so Python has the same.
inline torch::Tensor scattered(at::IntArrayRef shape, std::int64_t factor) {
  const auto count = torch::empty(shape, torch::kInt64).numel();
  return ((torch::arange(count) * factor) % 101 - 50).view(shape).to(torch::kFloat32) / 64;
}

/// 6 inputs, 8 units of tanh, 4 classes; weights, 24 inputs and their classes are fixed.
struct SmallNet {
  torch::nn::Sequential net{torch::nn::Linear(6, 8), torch::nn::Tanh(), torch::nn::Linear(8, 4)};
  torch::Tensor inputs = scattered({24, 6}, 53);
  torch::Tensor targets = (torch::arange(24) * torch::arange(24) + torch::arange(24)) % 7 % 4;

  SmallNet() {
    const torch::NoGradGuard no_grad;
    for (auto& parameter : net->parameters()) parameter.copy_(scattered(parameter.sizes(), 37));
  }

  /// Mean cross-entropy, and a little of the parameters' squares, so that it has a minimum; leaves
  /// the gradient.
  torch::Tensor loss() {
    for (auto& parameter : net->parameters()) {
      if (parameter.grad().defined()) parameter.mutable_grad().zero_();
    }
    auto loss = torch::cross_entropy_loss(net->forward(inputs), targets);
    for (const auto& parameter : net->parameters()) loss = loss + parameter.square().sum() / 256;
    loss.backward();
    return loss.detach();
  }
};

/// Python that makes the same: `net`, and `loss()`, which leaves the gradient.
inline const std::string kSmallNetInPython = R"(
import sys, torch
def scattered(shape, factor):
    count = torch.Size(shape).numel()
    return ((torch.arange(count) * factor) % 101 - 50).view(shape).float() / 64
net = torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.Tanh(), torch.nn.Linear(8, 4))
with torch.no_grad():
    for p in net.parameters(): p.copy_(scattered(p.shape, 37))
i = torch.arange(24)
inputs, targets = scattered((24, 6), 53), (i * i + i) % 7 % 4
def loss():
    for p in net.parameters(): p.grad = None
    value = torch.nn.functional.cross_entropy(net(inputs), targets)
    for p in net.parameters(): value = value + p.square().sum() / 256
    value.backward()
    return value
)";

/// What became of a SmallNet.
struct SmallNetRun {
  std::vector<double> losses;           ///< Before each step.
  std::vector<int> evaluations;         ///< Of each step.
  std::vector<torch::Tensor> iterates;  ///< The parameters after each step, fp32 [P].

  const torch::Tensor& values() const { return iterates.back(); }
};

/// Takes `steps` steps of the optimizer that `text` names. The flat parameters are cut at `cuts`,
/// rising in [0, P], and each part is moved by a rank of its own, which knows the others only by
/// sums.
inline SmallNetRun run_small_net(const std::string& text, int steps, double lr,
                                 const std::vector<std::int64_t>& cuts = {}) {
  SmallNetRun result;
  run_ranks(static_cast<int>(cuts.size()) + 1, [&](const Group& group) {
    at::set_num_threads(1);
    const auto rank = static_cast<std::size_t>(group.rank);
    const auto communicator = make_communicator(cuts.empty() ? "single" : "gloo", group);
    SmallNet problem;
    FlatParameters whole(*problem.net);
    const std::int64_t begin = rank == 0 ? 0 : cuts[rank - 1];
    const std::int64_t end = rank == cuts.size() ? whole.size() : cuts[rank];
    FlatParameters part = whole.part(begin, end);
    const auto sum = [&](const torch::Tensor& tensor) { communicator->all_reduce(tensor); };
    const auto optimizer = make_optimizer(text, cuts.empty() ? Shard(part) : Shard(part, sum));
    const auto gather = [&] {
      const torch::NoGradGuard no_grad;
      const auto all = torch::zeros_like(whole.values());
      all.narrow(0, begin, end - begin).copy_(part.values());
      communicator->all_reduce(all);
      whole.values().copy_(all);
    };
    for (int step = 0; step < steps; ++step) {
      int evaluations = 0;
      const auto loss = optimizer->step(
          [&] {
            gather();
            ++evaluations;
            return problem.loss();
          },
          {.lr = lr});
      gather();
      if (group.rank != 0) continue;
      result.iterates.push_back(whole.values().clone());
      result.losses.push_back(loss.item<double>());
      result.evaluations.push_back(evaluations);
    }
  });
  return result;
}

}  // namespace yoke::test
