// Synchronised batch norm: ranks together normalise as one rank with the whole batch does.
#include "yoke/engine/eager/sync_batch_norm.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include <thread>
#include <vector>

#include "tests/support/ranks.h"
#include "yoke/comm/factory.h"
#include "yoke/engine/eager/eager.h"
#include "yoke/parallel/strategy.h"

namespace yoke::test {
namespace {

using torch::Tensor;

struct NormNetwork : torch::nn::Module {
  NormNetwork() {
    convolution = register_module("convolution", torch::nn::Conv2d(1, 3, 3));
    norm = register_module("norm", torch::nn::BatchNorm2d(3));
    last = register_module("last", torch::nn::Linear(3, 4));
    const torch::NoGradGuard no_grad;
    for (auto& parameter : parameters()) {
      parameter.copy_((torch::arange(parameter.numel()).view_as(parameter) * 1.3 + 1).sin());
    }
  }
  Tensor forward(const Tensor& input) { return last(norm(convolution(input)).relu().mean({2, 3})); }
  torch::nn::Conv2d convolution{nullptr};
  torch::nn::BatchNorm2d norm{nullptr};
  torch::nn::Linear last{nullptr};
};

struct NormResult {
  Tensor losses = torch::zeros({4}, torch::kFloat64);
  Tensor values, mean, variance;
  bool equal_operations = true;  ///< All ranks did as many.
};

/// Four steps of 7 images, the last of 1: with more ranks, some have none.
NormResult train_network_of(int ranks, const std::string& strategy_text) {
  NormResult result;
  std::vector<std::int64_t> operations(static_cast<std::size_t>(ranks));
  run_ranks(ranks, [&](const Group& group) {
    at::set_num_threads(1);
    const auto network = std::make_shared<NormNetwork>();
    Model model{
        network, [network](const Tensor& input) { return network->forward(input); }, {1, 6, 6}};
    const auto communicator = make_communicator(ranks == 1 ? "single" : "shared-memory", group);
    FlatParameters parameters(*network);
    const auto engine = make_eager_engine(model, parameters);
    const auto strategy = make_strategy(strategy_text, {*engine, parameters, network->buffers(),
                                                        *communicator, "sgd:momentum=0.9"});
    strategy->begin({});
    for (int step = 0; step < 4; ++step) {
      const std::int64_t images = step == 3 ? 1 : 7;
      const Batch whole{.input = (torch::arange(images * 36).view({images, 1, 6, 6}) * 0.7).cos(),
                        .target = torch::arange(images) % 4};
      const Batch batch =
          whole.slice(images * group.rank / ranks, images * (group.rank + 1) / ranks);
      const auto loss = strategy->step(batch, {.step = step}, {.lr = 0.1}).loss;
      if (group.rank == 0) result.losses[step] = loss.item<double>();
    }
    operations[static_cast<std::size_t>(group.rank)] = communicator->traffic().operations;
    if (group.rank != 0) return;
    result.values = parameters.values().clone();
    result.mean = network->norm->running_mean.clone();
    result.variance = network->norm->running_var.clone();
  });
  for (const auto count : operations) result.equal_operations &= count == operations.front();
  return result;
}

TEST(SyncBatchNorm, NormalisesOverAllRanks) {
  const NormResult one = train_network_of(1, "allreduce");
  for (const int ranks : {1, 2, 3}) {
    const NormResult many = train_network_of(ranks, "allreduce:sync_batchnorm=true");
    EXPECT_TRUE(many.losses.allclose(one.losses, 1e-4, 1e-5)) << many.losses << one.losses;
    EXPECT_TRUE(many.values.allclose(one.values, 1e-3, 1e-4)) << ranks;
    EXPECT_TRUE(many.mean.allclose(one.mean, 1e-4, 1e-5)) << ranks;
    EXPECT_TRUE(many.variance.allclose(one.variance, 1e-4, 1e-5)) << ranks;
  }
  EXPECT_FALSE(train_network_of(2, "allreduce").values.allclose(one.values, 1e-3, 1e-4));
}

TEST(SyncBatchNorm, MeetsAsOftenOnAllRanksWhoseImagesAreUneven) {
  for (const int parts : {2, 3, 4, 9}) {
    const NormResult result =
        train_network_of(3, fmt::format("allreduce:sync_batchnorm=true,accumulate={}", parts));
    EXPECT_TRUE(result.equal_operations) << parts;
    EXPECT_TRUE(torch::isfinite(result.values).all().item<bool>()) << parts;
    EXPECT_TRUE((result.losses > 0).logical_and(result.losses < 5).all().item<bool>())
        << result.losses;
  }
}

TEST(SyncBatchNorm, GoesBackwardInAThreadOfItsOwn) {  // as autograd does on a GPU
  torch::manual_seed(4);
  const Tensor images = torch::randn({5, 3, 4, 4});
  const auto gradient = [&](bool elsewhere) {
    int sums = 0;
    const SumOverRanks twice = [&](Tensor tensor) {
      ++sums;
      tensor.mul_(2);
    };
    torch::nn::BatchNorm2d norm(3);
    const SyncBatchNorm synchronised(twice);
    const Tensor input = images.clone().requires_grad_();
    const Tensor loss = norm->forward(input).pow(3).sum();
    if (elsewhere) {
      std::thread([&] { loss.backward(); }).join();
    } else {
      loss.backward();
    }
    EXPECT_EQ(sums, 2) << "forward and backward";
    return input.grad();
  };
  EXPECT_TRUE(torch::equal(gradient(true), gradient(false)));
}

TEST(SyncBatchNorm, TakesNumbersWhoseSquaresAreNotInFp16) {
  torch::manual_seed(4);
  const Tensor input = (torch::randn({5, 3, 4, 4}) * 100 + 300).to(torch::kHalf);
  const Tensor exact = input.to(torch::kFloat32);
  torch::nn::BatchNorm2d plain(3), norm(3);
  const Tensor expected = plain->forward(exact);
  const SumOverRanks alone = [](const Tensor&) {};
  const SyncBatchNorm synchronised(alone);
  const Tensor found = norm->forward(input);
  EXPECT_EQ(found.scalar_type(), torch::kHalf);
  EXPECT_TRUE(found.to(torch::kFloat32).allclose(expected, 1e-3, 1e-3));  // 2^-11, rounded
  EXPECT_TRUE(norm->running_var.allclose(plain->running_var, 1e-4));
}

}  // namespace
}  // namespace yoke::test
