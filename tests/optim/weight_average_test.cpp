// tests/optim/weight_average_test.cpp: means of weights, beside PyTorch's AveragedModel and their
// closed forms.
#include "yoke/optim/weight_average.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/linear.h>
#include <torch/utils.h>

#include <limits>

#include "tests/optim/python.h"
#include "tests/optim/small_net.h"
#include "yoke/core/error.h"

namespace yoke {
namespace {

using torch::Tensor;

constexpr int kSteps = 12;

/// A small network whose weights are other ones at each step.
struct Walk {
  torch::nn::Sequential net{torch::nn::Linear(6, 8), torch::nn::BatchNorm1d(8)};
  FlatParameters parameters{*net};

  void go(int step) {
    const torch::NoGradGuard no_grad;
    for (auto& parameter : net->parameters()) {
      parameter.copy_(test::scattered(parameter.sizes(), 37 + step));
    }
    for (auto& buffer : net->buffers()) {
      buffer.copy_((test::scattered(buffer.sizes(), 41) + step) * 4);
    }
  }

  WeightAverage average(const std::string& text, std::int64_t steps = kSteps) {
    return {parse_weight_average(text), parameters, net->buffers(), steps};
  }
};

/// The mean of the weights after steps 1 to kSteps, and of the running means of batch norm.
std::pair<Tensor, Tensor> mean_of_walk(const std::string& text) {
  Walk walk;
  auto average = walk.average(text);
  for (int step = 1; step <= kSteps; ++step) {
    walk.go(step);
    if (average.due(step)) average.add();
  }
  average.swap();
  return {walk.parameters.values().clone(), walk.net->named_buffers()["1.running_mean"].clone()};
}

constexpr const char* kAveragedModel = R"(
import sys, torch
from torch.optim.swa_utils import AveragedModel
def scattered(shape, factor):
    count = torch.Size(shape).numel()
    return ((torch.arange(count) * factor) % 101 - 50).view(shape).float() / 64
net = torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.BatchNorm1d(8))
rule = {'equal': None, '0.9': lambda mean, new, n: 0.9 * mean + 0.1 * new}[sys.argv[1]]
mean = AveragedModel(net, avg_fn=rule, use_buffers=True)
with torch.no_grad():
    for step in range(1, 13):
        for p in net.parameters(): p.copy_(scattered(p.shape, 37 + step))
        for b in net.buffers(): b.copy_((scattered(b.shape, 41) + step) * 4)
        if step % 3 == 0: mean.update_parameters(net)
for p in mean.module.parameters(): print(*p.double().flatten().tolist())
print(*mean.module[1].running_mean.double().tolist())
)";

TEST(WeightAverage, IsThatOfPyTorch) {
  for (const auto& [ours, theirs] :
       {std::pair("equal=on,every=3", "equal"), std::pair("0.9,every=3,warmup=off", "0.9")}) {
    auto printed = test::ask_python(kAveragedModel, {theirs});
    if (!printed) GTEST_SKIP() << "Python has no torch here";
    const auto [values, running_mean] = mean_of_walk(ours);
    const Tensor found = torch::cat({values, running_mean}).to(torch::kFloat64);
    for (std::int64_t i = 0; i < found.numel(); ++i) {
      double expected = 0;
      ASSERT_TRUE(*printed >> expected) << i;
      EXPECT_NEAR(found[i].item<double>(), expected, 1e-5) << ours << " " << i;
    }
  }
}

/// In double precision, each weight by its share of the whole.
TEST(WeightAverage, IsTheSumOfItsShares) {
  for (const char* text : {"0.9,every=2", "0.5,every=1,warmup=off", "equal=on,every=1,start=0.5"}) {
    Walk walk;
    auto average = walk.average(text);
    Tensor expected = torch::zeros_like(walk.parameters.values()).to(torch::kFloat64);
    std::int64_t count = 0;
    for (int step = 1; step <= kSteps; ++step) {
      walk.go(step);
      if (!average.due(step)) continue;
      const double share = average.share(count++);
      expected = expected * (1 - share) + walk.parameters.values().to(torch::kFloat64) * share;
      average.add();
    }
    EXPECT_EQ(average.count(), count);
    average.swap();
    EXPECT_TRUE(walk.parameters.values().to(torch::kFloat64).allclose(expected, 1e-6, 1e-6))
        << text;
  }
}

TEST(WeightAverage, ForgetsTheFirstWeightsSoonWhereItWarmsUp) {
  Walk walk;
  const auto average = walk.average("0.99"), plain = walk.average("0.99,warmup=off"),
             equal = walk.average("equal=on");
  EXPECT_EQ(average.share(0), 1);
  EXPECT_NEAR(average.share(1), 1 - 2.0 / 11, 1e-12);
  EXPECT_NEAR(average.share(90), 1 - 91.0 / 100, 1e-12);
  EXPECT_NEAR(average.share(10'000), 0.01, 1e-12);
  EXPECT_EQ(plain.share(0), 1);
  EXPECT_NEAR(plain.share(1), 0.01, 1e-12);
  EXPECT_NEAR(equal.share(3), 0.25, 1e-12);
}

TEST(WeightAverage, TakesWeightsEverySoManyStepsFromItsStartOn) {
  Walk walk;
  const auto steps = [&](const std::string& text) {
    const auto average = walk.average(text, 100);
    std::vector<std::int64_t> due;
    for (std::int64_t step = 1; step <= 100; ++step) {
      if (average.due(step)) due.push_back(step);
    }
    return due;
  };
  using testing::ElementsAre;
  EXPECT_THAT(steps("every=40"), ElementsAre(40, 80));
  EXPECT_THAT(steps("every=10,start=0.75"), ElementsAre(80, 90, 100));
  EXPECT_THAT(steps("every=25,start=0.75"), ElementsAre(100));
  EXPECT_THAT(steps("every=25,start=1"), ElementsAre());
  EXPECT_EQ(steps("").front(), 16);
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  for (const char* const start : {"start=1", "start=0.5", "every=9223372036854775807,start=1"}) {
    EXPECT_GT(walk.average(start, kMost).first_step(), kMost / 8) << start;
  }
}

/// A run that was made longer has begun with its mean already.
TEST(WeightAverage, GoesOnWhereItHasBegun) {
  Walk walk;
  auto average = walk.average("every=10,start=0.5", 1000);
  EXPECT_FALSE(average.due(10));
  average.add();
  EXPECT_TRUE(average.due(10));
}

TEST(WeightAverage, ExchangesWeightsBitForBit) {
  Walk walk;
  auto average = walk.average("0.7,every=1");
  for (int step = 1; step <= 3; ++step) {
    walk.go(step);
    average.add();
  }
  std::vector<Tensor> before = {walk.parameters.values().clone()};
  for (const auto& buffer : walk.net->buffers()) before.push_back(buffer.clone());
  average.swap();
  EXPECT_FALSE(walk.parameters.values().equal(before[0]));
  EXPECT_TRUE(walk.net->named_buffers()["1.num_batches_tracked"].equal(before[3]));
  average.swap();
  EXPECT_TRUE(walk.parameters.values().equal(before[0]));
  for (std::size_t i = 0; i < walk.net->buffers().size(); ++i) {
    EXPECT_TRUE(walk.net->buffers()[i].equal(before[i + 1])) << i;
  }
}

TEST(WeightAverage, SaysWhatIsAllowed) {
  for (const auto& [text, message] :
       {std::pair("1", "--ema"), std::pair("every=0", "at least 1"), std::pair("start=2", "[0, 1]"),
        std::pair("0.9,equal=on", "leave out one of the two"),
        std::pair("0.9,evry=2", "'every'")}) {
    EXPECT_THAT([&] { parse_weight_average(text); },
                testing::ThrowsMessage<UsageError>(testing::HasSubstr(message)))
        << text;
  }
}

}  // namespace
}  // namespace yoke
