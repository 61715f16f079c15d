#include "yoke/train/checkpoints/module_state.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/linear.h>

#include "yoke/core/error.h"
#include "yoke/core/flat_parameters.h"

namespace yoke {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Network : torch::nn::Module {
  explicit Network(std::int64_t width)
      : linear(register_module("linear", torch::nn::Linear(3, width))),
        norm(register_module("norm", torch::nn::BatchNorm1d(width))) {}
  torch::nn::Linear linear;
  torch::nn::BatchNorm1d norm;
};

std::string message_of(torch::nn::Module& module, const NamedTensors& state) {
  try {
    restore_module(module, state, "the file");
  } catch (const UsageError& error) {
    return error.what();
  }
  return "nothing";
}

TEST(ModuleState, RestoresParametersAndBuffersInPlace) {
  Network from(4);
  from.norm->running_mean.fill_(3);
  from.norm->num_batches_tracked.fill_(9);
  Network to(4);
  FlatParameters flat(to);
  restore_module(to, module_state(from), "memory");
  EXPECT_TRUE(torch::equal(to.linear->weight, from.linear->weight));
  EXPECT_TRUE(torch::equal(flat.values().narrow(0, 0, 12), from.linear->weight.flatten()));
  EXPECT_TRUE(torch::equal(to.norm->running_mean, from.norm->running_mean));
  EXPECT_EQ(to.norm->num_batches_tracked.item<std::int64_t>(), 9);
  EXPECT_TRUE(to.linear->weight.requires_grad());
}

TEST(ModuleState, SnapshotDoesNotChangeWithTheModule) {
  Network network(4);
  FlatParameters flat(network);
  const auto shared = module_state(network);
  const auto copies = snapshot(shared);
  const auto before = flat.values().clone();
  {
    const torch::NoGradGuard no_grad;
    flat.values().add_(1);
  }
  EXPECT_TRUE(torch::equal(shared[0].second, network.linear->weight));
  EXPECT_TRUE(torch::equal(copies[0].second.flatten(), before.narrow(0, 0, 12)));
  EXPECT_EQ(copies[0].second.storage().nbytes(), 12 * sizeof(float));
}

TEST(ModuleState, SnapshotTakesWhatNobodyElseHoldsAsItIs) {
  NamedTensors state = {{"alone", torch::ones({3})}, {"held", torch::ones({3})}};
  const void* const alone = state[0].second.data_ptr();
  const torch::Tensor held = state[1].second;
  const auto copies = snapshot(std::move(state));
  EXPECT_EQ(copies[0].second.data_ptr(), alone);
  EXPECT_NE(copies[1].second.data_ptr(), held.data_ptr());
  std::vector<float> memory(3, 1);
  const auto copy = snapshot({{"number", torch::from_blob(memory.data(), {3})}});
  EXPECT_NE(copy[0].second.data_ptr(), memory.data());
}

TEST(ModuleState, SaysWhatDiffersAndCopiesNothing) {
  Network network(4);
  const auto before = snapshot(module_state(network));
  NamedTensors other = snapshot(module_state(Network(5)));
  for (auto& [name, tensor] : other) tensor = tensor.to(torch::kFloat32) + 1;
  other.erase(other.begin() + 1);
  other.emplace_back("head.weight", torch::ones({2}));
  const auto message = message_of(network, other);
  EXPECT_THAT(message, HasSubstr("the file is of another model"));
  EXPECT_THAT(message, HasSubstr("missing: linear.bias"));
  EXPECT_THAT(message, HasSubstr("unexpected: head.weight"));
  EXPECT_THAT(message, HasSubstr("linear.weight is Float [5, 3], the model wants Float [4, 3]"));
  EXPECT_THAT(message, HasSubstr("num_batches_tracked is Float [], the model wants Long []"));
  const auto after = module_state(network);
  for (std::size_t i = 0; i < after.size(); ++i) {
    EXPECT_TRUE(torch::equal(after[i].second, before[i].second)) << after[i].first;
  }
}

TEST(ModuleState, ListsEightDifferencesAtMost) {
  Network network(4);
  auto state = module_state(network);
  for (int i = 0; i < 11; ++i) state.emplace_back(fmt::format("extra{:02}", i), torch::ones({1}));
  const auto message = message_of(network, state);
  EXPECT_THAT(message, HasSubstr("extra07 and 3 more"));
  EXPECT_THAT(message, Not(HasSubstr("extra08")));
}

}  // namespace
}  // namespace yoke
