// tests/conformance/weight_decay_test.cpp: what holds for the option `no_decay` of every optimizer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/module.h>

#include "tests/support/parameter_name.h"
#include "yoke/core/error.h"
#include "yoke/optim/optimizer.h"

namespace yoke {
namespace {

/// Parameters of each kind that `no_decay` tells apart, and a bias of a matrix's form.
struct Decaying final : torch::nn::Module {
  Decaying() {
    torch::manual_seed(7);
    register_parameter("weight", torch::randn({4, 3}));
    register_parameter("bias", torch::randn({3, 5}));
    register_parameter("scale", torch::randn({6}));
  }
};

/// Its parameters after steps along gradients that do not depend on them.
std::vector<torch::Tensor> decayed(const std::string& text) {
  Decaying module;
  FlatParameters parameters(module);
  const auto optimizer = make_optimizer(text, parameters);
  for (int step = 1; step <= 3; ++step) {
    const Objective objective = [&] {
      torch::sin_out(parameters.gradients(), torch::arange(parameters.size()) * step);
      return torch::zeros({});
    };
    optimizer->step(objective, {.lr = 0.1});
  }
  std::vector<torch::Tensor> values;
  for (const auto& value : module.parameters()) values.push_back(value.detach().clone());
  return values;
}

class EveryWeightDecay : public testing::TestWithParam<std::string> {};

TEST_P(EveryWeightDecay, LeavesOffWhatNoDecaySaysOrTheOptimizerSaysWhyNot) {
  if (!optimizers().choose(GetParam()).traits.can_leave_decay_off) {
    EXPECT_THAT([&] { optimizers().choose(GetParam() + ":no_decay=bias"); },
                testing::ThrowsMessage<UsageError>(testing::AllOf(
                    testing::HasSubstr(GetParam()), testing::HasSubstr("leave no_decay out"))));
    return;
  }
  const auto all = decayed(GetParam() + ":weight_decay=0.5");
  const auto none = decayed(GetParam() + ":weight_decay=0");
  ASSERT_FALSE(torch::equal(all[0], none[0]));
  ASSERT_FALSE(torch::equal(all[1], none[1]));
  const auto expect = [&](const std::string& rule, const std::vector<bool>& off) {
    const auto values = decayed(GetParam() + ":weight_decay=0.5,no_decay=" + rule);
    for (std::size_t i = 0; i < off.size(); ++i) {
      EXPECT_TRUE(torch::equal(values[i], off[i] ? none[i] : all[i])) << rule << ", " << i;
    }
  };
  expect("none", {false, false, false});
  expect("bias", {false, true, false});
  expect("norm+bias", {false, true, true});
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryWeightDecay, testing::ValuesIn(optimizers().names()),
                         test::parameter_name);

}  // namespace
}  // namespace yoke
