// tests/optim/layer_rates_test.cpp: LARS, LAMB and Muon, by their formulas and over parts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/optim/problem.h"
#include "tests/optim/small_net.h"
#include "tests/support/done_again.h"
#include "yoke/optim/optimizers/layer_norms.h"

namespace yoke {
namespace {

using test::OptimizerRun;
using torch::Tensor;

constexpr double kBaseRate = 0.3;

Tensor in_fp64(const Tensor& tensor) { return tensor.to(torch::kFloat64, false, true); }

/// Moves `value` by what `gradient` [...] says at step 1, 2, ..., all fp64.
using Formula =
    std::function<void(std::size_t parameter, int step, Tensor& value, const Tensor& gradient)>;

/// Compares some steps of `text` with the formula, each from the same parameters and gradients.
void expect_formula(const std::string& text, const Rates& rates, const Formula& formula) {
  OptimizerRun run(text);
  const auto parameters = run.problem.layer->parameters();
  for (int step = 1; step <= 5; ++step) {
    std::vector<Tensor> before;
    for (const auto& parameter : parameters) before.push_back(in_fp64(parameter.detach()));
    run.step(rates);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      formula(i, step, before[i], in_fp64(parameters[i].grad()));
      // Some roundings to fp32 of numbers of the order of 1.
      EXPECT_TRUE(torch::allclose(in_fp64(parameters[i].detach()), before[i], 1e-6, 3e-7))
          << text << ", step " << step << ", parameter " << i;
    }
  }
}

double length(const Tensor& tensor) { return tensor.square().sum().sqrt().item<double>(); }

void expect_lars(const std::string& text, const Rates& rates, double momentum, double decay,
                 double trust) {
  std::vector<Tensor> velocity(2, torch::zeros({}, torch::kFloat64));
  expect_formula(text, rates, [&](std::size_t i, int, Tensor& w, const Tensor& g) {
    const bool matrix = w.dim() > 1;
    const double local = matrix ? trust * length(w) / (length(g) + decay * length(w)) : 1;
    velocity[i] = momentum * velocity[i] + rates.lr * local * (matrix ? g + decay * w : g);
    w = w - velocity[i];
  });
}

TEST(Lars, FollowsItsFormula) {
  expect_lars("lars", {.lr = kBaseRate}, 0.9, 0, 0.001);
  expect_lars("lars:momentum=0.5,weight_decay=0.1,trust=0.02", {.lr = kBaseRate}, 0.5, 0.1, 0.02);
  expect_lars("lars:momentum=0,trust=0.1", {.lr = kBaseRate}, 0, 0, 0.1);
  expect_lars("lars:trust=0.1", {.lr = kBaseRate, .momentum = 0.7}, 0.7, 0, 0.1);
}

void expect_lamb(const std::string& text, const Rates& rates, double beta1, double beta2,
                 double epsilon, double decay) {
  std::vector<Tensor> mean(2, torch::zeros({}, torch::kFloat64)), square = mean;
  expect_formula(text, rates, [&](std::size_t i, int step, Tensor& w, const Tensor& g) {
    mean[i] = beta1 * mean[i] + (1 - beta1) * g;
    square[i] = beta2 * square[i] + (1 - beta2) * g * g;
    const auto m = mean[i] / (1 - std::pow(beta1, step));
    const auto v = square[i] / (1 - std::pow(beta2, step));
    const bool matrix = w.dim() > 1;
    const Tensor direction = m / (v.sqrt() + epsilon) + (matrix ? decay * w : torch::zeros({1}));
    w = w - rates.lr * (matrix ? length(w) / length(direction) : 1) * direction;
  });
}

TEST(Lamb, FollowsItsFormula) {
  expect_lamb("lamb", {.lr = kBaseRate}, 0.9, 0.999, 1e-6, 0.01);
  expect_lamb("lamb:beta1=0.8,beta2=0.9,epsilon=1e-3,weight_decay=0.2", {.lr = kBaseRate}, 0.8, 0.9,
              1e-3, 0.2);
  expect_lamb("lamb:weight_decay=0", {.lr = kBaseRate, .momentum = 0.7}, 0.7, 0.999, 1e-6, 0);
}

struct MuonNumbers {
  double momentum = 0.95, decay = 0.01, beta1 = 0.9, beta2 = 0.999;
  bool nesterov = true;
  int iterations = 5;
};

/// What the iteration of the optimizer does to each singular value, done to them alone.
Tensor with_values_near_one(const Tensor& matrix, int iterations) {
  auto [u, s, v] = torch::linalg_svd(matrix, false);
  s = s / s.square().sum().sqrt();
  for (int i = 0; i < iterations; ++i) s = 3.4445 * s - 4.7750 * s.pow(3) + 2.0315 * s.pow(5);
  return u.matmul(s.diag()).matmul(v);
}

void expect_muon(const std::string& text, const Rates& rates, const MuonNumbers& of) {
  std::vector<Tensor> mean(2, torch::zeros({}, torch::kFloat64)), square = mean;
  expect_formula(text, rates, [&](std::size_t i, int step, Tensor& w, const Tensor& g) {
    const double decay = w.dim() > 1 ? of.momentum : of.beta1;
    mean[i] = decay * mean[i] + (1 - decay) * g;
    if (w.dim() > 1) {
      const Tensor next = of.nesterov ? of.momentum * mean[i] + (1 - of.momentum) * g : mean[i];
      const Tensor direction = with_values_near_one(next, of.iterations);
      const double length = 0.2 * std::sqrt(std::max(w.size(0), w.size(1)));
      w = w - rates.lr * (length * direction + of.decay * w);
    } else {
      square[i] = of.beta2 * square[i] + (1 - of.beta2) * g * g;
      const auto m = mean[i] / (1 - std::pow(of.beta1, step));
      const auto v = square[i] / (1 - std::pow(of.beta2, step));
      w = w - rates.lr * m / (v.sqrt() + 1e-8);
    }
  });
}

TEST(Muon, FollowsItsFormula) {
  expect_muon("muon", {.lr = 0.01}, {});
  expect_muon("muon:momentum=0.5,nesterov=false,weight_decay=0.1,beta1=0.8,beta2=0.9", {.lr = 0.01},
              {.momentum = 0.5, .decay = 0.1, .beta1 = 0.8, .beta2 = 0.9, .nesterov = false});
  expect_muon("muon:iterations=3", {.lr = 0.01, .momentum = 0.7},
              {.momentum = 0.7, .iterations = 3});
}

TEST(Muon, TakesTheSameStepsWithItsProductsRecorded) {
  torch::nn::Sequential net(torch::nn::Linear(5, 8), torch::nn::Linear(8, 5),
                            torch::nn::Linear(5, 8));
  FlatParameters parameters(*net);
  const Tensor first = parameters.values().clone();
  const auto steps = [&](const MakeStepGraph& graph) {
    parameters.values().copy_(first);
    torch::manual_seed(5);
    Shard all(parameters);
    all.graph = graph;
    const auto optimizer = make_optimizer("muon", all);
    for (int i = 0; i < 7; ++i) {
      optimizer->step(
          [&] {
            parameters.gradients().normal_();
            return torch::zeros({});
          },
          {.lr = 0.1 / (i + 1)});
    }
    return parameters.values().clone();
  };
  test::Calls calls;
  const Tensor recorded =
      steps([&](torch::Device) { return std::make_unique<test::DoneAgain>(calls); });
  EXPECT_TRUE(torch::allclose(recorded, steps({}), 1e-4, 1e-5));
  EXPECT_THAT(calls, testing::ElementsAre("rehearse", "rehearse", "rehearse", "record", "replay",
                                          "replay", "replay", "replay"));
}

class LayerRates : public testing::TestWithParam<std::string> {};

TEST_P(LayerRates, StepAlikeWhereverTheParametersAreCut) {
  constexpr int kSteps = 8;
  const auto whole = test::run_small_net(GetParam(), kSteps, kBaseRate);
  // Weights lie in [0, 48) and [56, 88), biases behind each: within, between and in nothing.
  for (const std::vector<std::int64_t>& cuts :
       {std::vector<std::int64_t>{17}, {48, 57}, {0, 0, 91}}) {
    const auto parts = test::run_small_net(GetParam(), kSteps, kBaseRate, cuts);
    for (int i = 0; i < kSteps; ++i) {
      const auto step = static_cast<std::size_t>(i);
      EXPECT_NEAR(parts.losses[step], whole.losses[step], 1e-6) << "step " << i;
    }
    EXPECT_TRUE(torch::allclose(parts.values(), whole.values(), 1e-6, 1e-6));
  }
}

TEST_P(LayerRates, LeaveZero) {
  torch::nn::Linear layer(3, 2);
  FlatParameters parameters(*layer);
  const auto optimizer = make_optimizer(GetParam(), parameters);
  parameters.values().zero_();
  optimizer->step(
      [&] {
        parameters.gradients().fill_(1);
        return torch::zeros({});
      },
      {.lr = 0.1});
  EXPECT_TRUE((parameters.values() < 0).all().item<bool>()) << parameters.values();
}

TEST_P(LayerRates, StayFiniteWithoutAGradient) {
  torch::nn::Linear layer(3, 2);
  FlatParameters parameters(*layer);
  const auto before = parameters.values().clone();
  const auto optimizer = make_optimizer(GetParam() + ",weight_decay=0", parameters);
  optimizer->step(
      [&] {
        parameters.gradients().zero_();
        return torch::zeros({});
      },
      {.lr = 0.1});
  EXPECT_TRUE(torch::equal(parameters.values(), before));
}

INSTANTIATE_TEST_SUITE_P(Optimizers, LayerRates,
                         testing::Values("lars:momentum=0.8", "lamb:beta1=0.8", "muon:beta1=0.8"),
                         [](const auto& info) { return info.param.substr(0, 4); });

TEST(LayerNorms, AreSummedOnceForAllLayers) {
  torch::nn::Linear layer(3, 2);
  FlatParameters parameters(*layer);
  const torch::NoGradGuard no_grad;
  parameters.values().fill_(2);
  parameters.gradients().fill_(3);
  int sums = 0;
  const auto twice = [&sums](const torch::Tensor& tensor) {
    ++sums;
    tensor.mul_(4);  // as if three other parts had the same
  };
  const auto norms = layer_norms({parameters, twice}, parameters.values(), parameters.gradients());
  EXPECT_EQ(sums, 1);
  ASSERT_EQ(norms.size(), 2);
  EXPECT_DOUBLE_EQ(norms[0].first, std::sqrt(4 * 6 * 4));
  EXPECT_DOUBLE_EQ(norms[0].second, std::sqrt(4 * 6 * 9));
  EXPECT_DOUBLE_EQ(norms[1].first, std::sqrt(4 * 2 * 4));
  EXPECT_DOUBLE_EQ(norms[1].second, std::sqrt(4 * 2 * 9));
}

}  // namespace
}  // namespace yoke
