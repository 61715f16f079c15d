// DataParallel over ranks that are threads, with LibTorch's optimizers, against one rank that has
// all images and LibTorch alone.
#include "yoke/parallel/data_parallel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/adam.h>
#include <torch/optim/sgd.h>
#include <torch/utils.h>

#include "tests/support/ranks.h"
#include "yoke/comm/factory.h"
#include "yoke/core/error.h"
#include "yoke/parallel/agreement.h"

namespace yoke::test {
namespace {

using testing::HasSubstr;
using torch::Tensor;

struct Network : torch::nn::Module {
  explicit Network(int seed) {
    first = register_module("first", torch::nn::Linear(12, 30));
    unused = register_module("unused", torch::nn::Linear(3, 5));
    last = register_module("last", torch::nn::Linear(30, 4));
    const torch::NoGradGuard no_grad;
    for (auto& parameter : parameters()) {
      parameter.copy_((torch::arange(parameter.numel()).view_as(parameter) * (seed + 7)).sin() / 3);
    }
  }
  Tensor forward(const Tensor& input) { return last(first(input).relu()); }
  torch::nn::Linear first{nullptr}, unused{nullptr}, last{nullptr};
};

/// Images [begin, end) of a step.
struct Share {
  std::int64_t begin = 0, end = 0;
  std::int64_t size() const { return end - begin; }
};

/// As uneven as can be: rank r has r parts, rank 0 none.
Share images_of_rank(std::int64_t images, int rank, int ranks) {
  if (ranks == 1) return {0, images};
  const std::int64_t parts = std::int64_t{ranks} * (ranks - 1) / 2;
  const std::int64_t before = std::int64_t{rank} * (rank - 1) / 2;
  return {images * before / parts, images * (before + rank) / parts};
}

Tensor loss_of(Network& network, std::int64_t step, const Share& share) {
  const Tensor places = torch::arange(share.begin, share.end);
  const Tensor input =
      ((places.view({-1, 1}) * 12 + torch::arange(12) + step) * 1.7).cos().to(torch::kFloat32);
  return torch::cross_entropy_loss(network.forward(input), places % 4);
}

std::unique_ptr<torch::optim::Optimizer> make(const std::string& optimizer, Network& network) {
  if (optimizer == "adam") {
    return std::make_unique<torch::optim::Adam>(network.parameters(), 1e-2);
  }
  return std::make_unique<torch::optim::SGD>(
      network.parameters(), torch::optim::SGDOptions(0.1).momentum(0.9).weight_decay(1e-3));
}

constexpr std::int64_t kSteps = 6;

std::int64_t images_of(std::int64_t step) { return step == 5 ? 1 : 17; }

struct Result {
  std::vector<double> losses;
  Tensor values;
};

Tensor flat(const Network& network) {
  std::vector<Tensor> all;
  for (const auto& parameter : network.parameters()) all.push_back(parameter.detach().flatten());
  return torch::cat(all);
}

/// LibTorch alone.
Result train_alone(const std::string& optimizer_name) {
  Result result;
  Network network(0);
  const auto optimizer = make(optimizer_name, network);
  for (std::int64_t step = 0; step < kSteps; ++step) {
    for (auto& parameter : network.parameters())
      parameter.mutable_grad() = torch::zeros_like(parameter);
    const Tensor loss = loss_of(network, step, {0, images_of(step)});
    loss.backward();
    optimizer->step();
    result.losses.push_back(loss.item<double>());
  }
  result.values = flat(network);
  return result;
}

struct Setting {
  std::string comm = "shared-memory";
  std::string optimizer = "sgd";
  DataParallelOptions options = {};
  bool drop_gradients = false;  // before each step, as zero_grad() of newer versions does
};

Result train_network(int ranks, const Setting& setting) {
  Result result;
  run_ranks(ranks, [&](const Group& group) {
    at::set_num_threads(1);
    Network network(group.rank);  // the first becomes that of all
    const auto communicator = make_communicator(ranks == 1 ? "single" : setting.comm, group);
    DataParallel parallel(network, *communicator, setting.options);
    const auto optimizer = make(setting.optimizer, network);
    for (std::int64_t step = 0; step < kSteps; ++step) {
      if (setting.drop_gradients) network.zero_grad(/*set_to_none=*/true);
      const Share share = images_of_rank(images_of(step), group.rank, ranks);
      const Tensor loss = share.size() == 0 ? Tensor() : loss_of(network, step, share);
      const Tensor mean = parallel.backward(loss, share.size());
      optimizer->step();
      if (group.rank == 0) result.losses.push_back(mean.item<double>());
      check_agreement(flat(network), *communicator);
    }
    if (group.rank == 0) result.values = flat(network);
  });
  return result;
}

/// Sums over ranks add up in another order.
void expect_near(const Result& a, const Result& b) {
  constexpr double kRounding = 2e-5;
  ASSERT_EQ(a.losses.size(), b.losses.size());
  for (std::size_t i = 0; i < a.losses.size(); ++i)
    EXPECT_NEAR(a.losses[i], b.losses[i], kRounding) << "step " << i;
  EXPECT_TRUE(a.values.allclose(b.values, kRounding, kRounding));
}

TEST(DataParallel, TakesTheStepsOfLibTorchAloneWithOneRank) {
  const Result alone = train_alone("sgd"), one = train_network(1, {});
  EXPECT_EQ(alone.losses, one.losses);
  EXPECT_TRUE(alone.values.equal(one.values));
}

TEST(DataParallel, TakesTheStepsOfOneRankWhateverTheShares) {
  const Result alone = train_alone("sgd");
  for (const int ranks : {2, 3, 4}) {
    expect_near(train_network(ranks, {}), alone);
    expect_near(train_network(ranks, {.comm = "gloo"}), alone);
    expect_near(train_network(ranks, {.options = {.first_bucket_bytes = 0, .bucket_bytes = 0}}),
                alone);
  }
}

TEST(DataParallel, ServesAnyOptimizer) {
  expect_near(train_network(3, {.optimizer = "adam"}), train_alone("adam"));
}

TEST(DataParallel, PutsBackGradientsThatAnOptimizerDropped) {
  const Result kept = train_network(3, {}), dropped = train_network(3, {.drop_gradients = true});
  EXPECT_EQ(kept.losses, dropped.losses);
  EXPECT_TRUE(kept.values.equal(dropped.values));
}

TEST(DataParallel, LeavesFrozenParametersAsTheyAre) {
  run_ranks(2, [](const Group& group) {
    Network network(0);
    network.first->weight.set_requires_grad(false);
    const Tensor before = network.first->weight.clone();
    const auto communicator = make_communicator("shared-memory", group);
    DataParallel parallel(network, *communicator);
    const auto optimizer = make("sgd", network);  // weight decay would move it
    for (std::int64_t step = 0; step < 2; ++step) {
      const Share share = images_of_rank(17, group.rank, 2);
      parallel.backward(share.size() == 0 ? Tensor() : loss_of(network, step, share), share.size());
      optimizer->step();
    }
    EXPECT_TRUE(network.first->weight.equal(before));
    EXPECT_FALSE(network.last->weight.equal(Network(0).last->weight));
  });
}

TEST(DataParallel, SharesBuffersAtTheStartAndTheirMeanWhenAsked) {
  run_ranks(3, [](const Group& group) {
    torch::nn::BatchNorm1d norm(4);
    norm->running_mean.fill_(group.rank + 1);
    const auto communicator = make_communicator("shared-memory", group);
    DataParallel parallel(*norm, *communicator);
    EXPECT_TRUE(norm->running_mean.equal(torch::ones({4})));
    norm->running_mean.fill_(group.rank);
    parallel.synchronise();
    EXPECT_TRUE(norm->running_mean.equal(torch::ones({4})));  // of 0, 1 and 2
  });
}

TEST(DataParallel, RefusesALossThatDoesNotFitItsImages) {
  Network network(0);
  const auto communicator = make_communicator("single");
  DataParallel parallel(network, *communicator);
  const auto failure = [&](const Tensor& loss, std::int64_t images) -> std::string {
    try {
      parallel.backward(loss, images);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_THAT(failure(Tensor(), 3), HasSubstr("the loss of 3 images is undefined"));
  EXPECT_THAT(failure(torch::ones({2}), 2), HasSubstr("is of shape [2]"));
  EXPECT_THAT(failure(torch::ones({}), -1), HasSubstr("-1 images"));
  EXPECT_THAT(failure(Tensor(), 0), HasSubstr("no rank has images"));
}

}  // namespace
}  // namespace yoke::test
