#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/sgd.h>

#include "tests/optim/problem.h"
#include "yoke/core/error.h"

namespace yoke {
namespace {

using test::copy_state;
using test::OptimizerRun;
using test::Problem;

constexpr int kSteps = 20;
constexpr double kLr = 0.05;

/// Runs `text` and LibTorch's `Reference` side by side. Tolerance: a few roundings a step, which
/// differ where ATen fuses a multiplication with an addition.
template <typename Reference, typename ReferenceOptions>
void expect_like_libtorch(const std::string& text, const ReferenceOptions& options) {
  OptimizerRun run(text);
  Problem problem;
  Reference reference(problem.layer->parameters(), options);
  for (int i = 0; i < kSteps; ++i) {
    const auto expected = problem.loss();
    reference.step();
    const auto loss = run.step({.lr = kLr});
    ASSERT_TRUE(torch::allclose(loss, expected, 1e-6, 0)) << text << ", step " << i;
  }
  const auto ours = run.problem.layer->parameters();
  const auto theirs = problem.layer->parameters();
  for (std::size_t i = 0; i < ours.size(); ++i) {
    EXPECT_TRUE(torch::allclose(ours[i], theirs[i], 1e-6, 3e-7))
        << text << "\n"
        << (ours[i] - theirs[i]).abs().max();
  }
}

TEST(Sgd, EqualsLibTorch) {
  using torch::optim::SGD;
  using torch::optim::SGDOptions;
  expect_like_libtorch<SGD>("sgd", SGDOptions(kLr));
  expect_like_libtorch<SGD>("sgd:weight_decay=0.1", SGDOptions(kLr).weight_decay(0.1));
  expect_like_libtorch<SGD>("sgd:momentum=0.9", SGDOptions(kLr).momentum(0.9));
  expect_like_libtorch<SGD>("sgd:momentum=0.9,dampening=0.5",
                            SGDOptions(kLr).momentum(0.9).dampening(0.5));
  expect_like_libtorch<SGD>("sgd:momentum=0.9,weight_decay=0.1,nesterov=true",
                            SGDOptions(kLr).momentum(0.9).weight_decay(0.1).nesterov(true));
}

TEST(Adam, EqualsLibTorch) {
  using torch::optim::Adam;
  using torch::optim::AdamOptions;
  expect_like_libtorch<Adam>("adam", AdamOptions(kLr));
  expect_like_libtorch<Adam>("adam:weight_decay=0.1", AdamOptions(kLr).weight_decay(0.1));
  expect_like_libtorch<Adam>("adam:beta1=0.8,beta2=0.9,epsilon=1e-3",
                             AdamOptions(kLr).betas({0.8, 0.9}).eps(1e-3));
}

TEST(AdamW, EqualsLibTorch) {
  using torch::optim::AdamW;
  using torch::optim::AdamWOptions;
  expect_like_libtorch<AdamW>("adamw", AdamWOptions(kLr).weight_decay(0.01));
  expect_like_libtorch<AdamW>("adamw:weight_decay=0.3", AdamWOptions(kLr).weight_decay(0.3));
}

/// Two steps of one weight that starts at 2 under a constant gradient of 0.5; the weight after
/// each.
std::pair<float, float> two_steps(const std::string& text, const Rates& rates) {
  torch::nn::Linear layer(torch::nn::LinearOptions(1, 1).bias(false));
  FlatParameters parameters(*layer);
  parameters.values().fill_(2);
  const auto optimizer = make_optimizer(text, parameters);
  const Objective objective = [&] {
    parameters.gradients().fill_(0.5);
    return torch::zeros({});
  };
  optimizer->step(objective, rates);
  const auto first = layer->weight.item<float>();
  optimizer->step(objective, rates);
  return {first, layer->weight.item<float>()};
}

TEST(Sgd, EqualsHandComputedSteps) {
  using testing::FloatNear, testing::Pair;
  const Rates rates{.lr = 0.1};
  const auto near = [](double value) { return FloatNear(static_cast<float>(value), 1e-6f); };
  EXPECT_THAT(two_steps("sgd", rates), Pair(near(1.95), near(1.90)));
  // Velocity 0.5, then 0.9 * 0.5 + 0.5 = 0.95.
  EXPECT_THAT(two_steps("sgd:momentum=0.9", rates), Pair(near(1.95), near(1.855)));
  // Moves by g + 0.9 * velocity: 0.95, then 0.5 + 0.9 * 0.95 = 1.355.
  EXPECT_THAT(two_steps("sgd:momentum=0.9,nesterov=1", rates), Pair(near(1.905), near(1.7695)));
  // Gradient 0.5 + 0.1 * 2 = 0.7, then 0.5 + 0.1 * 1.93 = 0.693.
  EXPECT_THAT(two_steps("sgd:weight_decay=0.1", rates), Pair(near(1.93), near(1.8607)));
  // The first gradient enters the velocity undampened: 0.5, then 0.45 + 0.25 * 0.5 = 0.575.
  EXPECT_THAT(two_steps("sgd:momentum=0.9,dampening=0.75", rates), Pair(near(1.95), near(1.8925)));
}

TEST(Sgd, TakesTheSchedulesMomentumInPlaceOfItsOwn) {
  const Rates rates{.lr = 0.1, .momentum = 0.5};
  EXPECT_EQ(two_steps("sgd:momentum=0.9", rates), two_steps("sgd:momentum=0.5", {.lr = 0.1}));
}

TEST(Sgd, StaysWithoutMomentumWhenMadeWithoutAndScheduleCyclesIt) {
  EXPECT_EQ(two_steps("sgd", {.lr = 0.1, .momentum = 0.95}), two_steps("sgd", {.lr = 0.1}));
}

TEST(Sgd, RefusesNesterovWithoutMomentumOrWithDampening) {
  torch::nn::Linear layer(1, 1);
  FlatParameters parameters(*layer);
  EXPECT_THROW(make_optimizer("sgd:nesterov=true", parameters), UsageError);
  EXPECT_THROW(make_optimizer("sgd:momentum=0.9,dampening=0.1,nesterov=true", parameters),
               UsageError);
  EXPECT_THROW(make_optimizer("sgd:momentum=-0.1", parameters), UsageError);
}

TEST(Adam, EqualsHandComputedSteps) {
  using testing::FloatNear, testing::Pair;
  const auto near = [](double value) { return FloatNear(static_cast<float>(value), 1e-6f); };
  // A constant gradient has bias-corrected averages 0.5 and 0.25: each step moves by lr.
  EXPECT_THAT(two_steps("adam", {.lr = 0.1}), Pair(near(1.9), near(1.8)));
  // The decoupled decay first multiplies by 1 - 0.1 * 0.2 = 0.98.
  EXPECT_THAT(two_steps("adamw:weight_decay=0.2", {.lr = 0.1}), Pair(near(1.86), near(1.7228)));
  // epsilon stands beside the corrected root: 0.1 * 0.5 / (0.5 + 0.5) = 0.05.
  EXPECT_THAT(two_steps("adam:epsilon=0.5", {.lr = 0.1}), Pair(near(1.95), near(1.9)));
}

TEST(Adam, TakesTheSchedulesMomentumInPlaceOfBeta1) {
  OptimizerRun cycled("adam"), fixed("adam:beta1=0.5"), own("adam");
  for (int i = 0; i < 3; ++i) {
    cycled.step({.lr = kLr, .momentum = 0.5});
    fixed.step({.lr = kLr});
    own.step({.lr = kLr});
  }
  EXPECT_TRUE(torch::equal(cycled.parameters.values(), fixed.parameters.values()));
  EXPECT_FALSE(torch::equal(cycled.parameters.values(), own.parameters.values()));
}

TEST(Adam, RefusesBetaOfOne) {
  torch::nn::Linear layer(1, 1);
  FlatParameters parameters(*layer);
  EXPECT_THROW(make_optimizer("adam:beta1=1", parameters), UsageError);
  EXPECT_THROW(make_optimizer("adamw:beta2=1", parameters), UsageError);
}

class Resume : public testing::TestWithParam<std::string> {};

TEST_P(Resume, ContinuesBitwiseFromCopiedState) {
  for (const int before : {0, 1, 10}) {
    OptimizerRun run(GetParam()), resumed(GetParam());
    for (int i = 0; i < before; ++i) run.step({.lr = kLr});
    resumed.parameters.values().copy_(run.parameters.values());
    copy_state(*run.optimizer, *resumed.optimizer);
    for (int i = before; i < kSteps; ++i) {
      EXPECT_TRUE(torch::equal(run.step({.lr = kLr}), resumed.step({.lr = kLr})))
          << before << " steps before, then step " << i;
    }
    EXPECT_TRUE(torch::equal(run.parameters.values(), resumed.parameters.values()));
  }
}

INSTANTIATE_TEST_SUITE_P(Optimizers, Resume,
                         testing::Values("sgd", "sgd:momentum=0.9,dampening=0.5",
                                         "sgd:momentum=0.9,nesterov=true,weight_decay=0.01",
                                         "adam:weight_decay=0.01", "adamw",
                                         "lars:weight_decay=0.01", "lamb", "muon", "sgd:clip=0.1",
                                         "lbfgs:max_iter=1",
                                         "lbfgs:history=2,max_iter=3,line_search=none"),
                         [](const auto& info) { return "Case" + std::to_string(info.index); });

}  // namespace
}  // namespace yoke
