#include "yoke/optim/scaled_rates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/module.h>
#include <torch/utils.h>

#include "yoke/core/error.h"

namespace yoke {
namespace {

/// Three vectors, whose gradient is what they are.
struct Vectors final : torch::nn::Module {
  Vectors() {
    torch::manual_seed(2);
    for (const auto* const name : {"a", "b", "c"}) register_parameter(name, torch::randn({4, 3}));
  }
};

torch::Tensor after_steps(const std::string& optimizer, const std::vector<double>& scales,
                          double lr) {
  Vectors module;
  FlatParameters parameters(module);
  for (std::size_t i = 0; i < scales.size(); ++i) parameters.set_lr_scale(i, scales[i]);
  const auto moves = make_optimizer(optimizer, parameters);
  for (int step = 0; step < 5; ++step) {
    moves->step(
        [&] {
          parameters.gradients().copy_(parameters.values());
          return torch::ones({});
        },
        {.lr = lr});
  }
  return parameters.values().clone();
}

class RateOfAPart : public testing::TestWithParam<std::string> {};

TEST_P(RateOfAPart, IsThatMuchOfTheRate) {
  const auto full = after_steps(GetParam(), {}, 0.1), tenth = after_steps(GetParam(), {}, 0.01);
  const auto mixed = after_steps(GetParam(), {1, 0.1, 0}, 0.1);
  const auto of = [](const torch::Tensor& values, int i) { return values.narrow(0, 12 * i, 12); };
  EXPECT_TRUE(torch::equal(of(mixed, 0), of(full, 0)));
  EXPECT_TRUE(torch::allclose(of(mixed, 1), of(tenth, 1), 1e-5, 1e-6));
  EXPECT_FALSE(torch::allclose(of(full, 1), of(tenth, 1), 1e-5, 1e-6));
  Vectors start;
  EXPECT_TRUE(torch::equal(of(mixed, 2), FlatParameters(start).values().narrow(0, 24, 12)));
}

// Without norms over all parameters, by which each part would change the others' steps.
INSTANTIATE_TEST_SUITE_P(Optimizers, RateOfAPart,
                         testing::Values("sgd:momentum=0.9,weight_decay=0.1",
                                         "sgd:momentum=0.9,nesterov=true", "adam",
                                         "adamw:weight_decay=0.1", "lars", "lamb", "muon"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace_if(
                               name.begin(), name.end(), [](char c) { return !std::isalnum(c); },
                               '_');
                           return name;
                         });

TEST(RateOfAPartOfALineSearch, IsRefused) {
  EXPECT_THAT(
      [] {
        after_steps("lbfgs", {1, 0.5, 1}, 0.1);
      },
      testing::ThrowsMessage<UsageError>(testing::HasSubstr("--lr-scale")));
}

}  // namespace
}  // namespace yoke
