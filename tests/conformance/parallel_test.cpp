// What every communicator and every strategy must do, here in a group of one rank.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/linear.h>

#include "yoke/comm/factory.h"
#include "yoke/core/error.h"
#include "yoke/parallel/strategy.h"

namespace yoke {
namespace {

std::string identifier(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

class EveryCommunicator : public testing::TestWithParam<std::string> {};

TEST_P(EveryCommunicator, SumsOverItsRanks) {
  const auto communicator = make_communicator(GetParam());
  ASSERT_EQ(communicator->size(), 1);
  EXPECT_EQ(communicator->rank(), 0);
  for (const std::int64_t size : {0, 1, 17, 1000}) {
    auto tensor = torch::arange(size, torch::kFloat32);
    communicator->all_reduce(tensor);
    EXPECT_TRUE(tensor.equal(torch::arange(size, torch::kFloat32)));
  }
}

TEST_P(EveryCommunicator, RejectsAnUnknownOption) {
  EXPECT_THROW(make_communicator(GetParam() + ":no_such_option=1"), UsageError);
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryCommunicator,
                         testing::ValuesIn(communicators().available()), identifier);

/// The loss is the mean of the input; its gradient is 2 in every parameter.
class FixedEngine final : public Engine {
 public:
  explicit FixedEngine(FlatParameters& parameters) : parameters_(parameters) {}
  Forward gradient(const Batch& batch, const StepKey&, const GradientReady& ready) override {
    parameters_.gradients().fill_(2);
    if (ready) ready(0, parameters_.size());
    return {.loss = batch.input.mean(), .scores = torch::zeros({batch.size(), 2})};
  }
  void synchronise_batch_norm(SumOverRanks) override {}
  torch::Tensor predict(const torch::Tensor& input) override {
    return torch::zeros({input.size(0), 2});
  }
  std::string describe(std::int64_t) override { return "fixed"; }

 private:
  FlatParameters& parameters_;
};

class EveryStrategy : public testing::TestWithParam<std::string> {
 protected:
  torch::nn::Linear layer_{3, 2};
  FlatParameters parameters_{*layer_};
  std::unique_ptr<Communicator> communicator_ = make_communicator("single");
  FixedEngine engine_{parameters_};
  StrategyContext context_{engine_, parameters_, {}, *communicator_, "sgd"};
};

TEST_P(EveryStrategy, AloneTakesTheStepOfPlainSgd) {
  const auto strategy = make_strategy(GetParam(), context_);
  strategy->begin({});
  const auto before = parameters_.values().clone();
  const Batch batch{.input = torch::full({4, 1, 1, 1}, 3.0F),
                    .target = torch::zeros({4}, torch::kInt64)};
  const StepResult found = strategy->step(batch, {}, {.lr = 0.5});
  EXPECT_FLOAT_EQ(found.loss.item<float>(), 3.0F);
  EXPECT_EQ(found.scores.sizes(), torch::IntArrayRef({4, 2}));
  EXPECT_TRUE(parameters_.values().allclose(before - 1));
  EXPECT_GE(found.communication_seconds, 0);
}

TEST_P(EveryStrategy, RejectsAnUnknownOption) {
  EXPECT_THROW(make_strategy(GetParam() + ":no_such_option=1", context_), UsageError);
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryStrategy, testing::ValuesIn(strategies().names()),
                         identifier);

}  // namespace
}  // namespace yoke
