// tests/optim/lbfgs_test.cpp: L-BFGS on small problems, whole and in parts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/optim/small_net.h"
#include "yoke/core/error.h"

namespace yoke {
namespace {

using test::run_small_net;

TEST(Lbfgs, StepsAlikeWhereverTheParametersAreCut) {
  for (const std::string text :
       {"lbfgs:max_iter=3", "lbfgs:max_iter=4,history=2,line_search=none"}) {
    const auto whole = run_small_net(text, 6, 0.5);
    for (const std::vector<std::int64_t>& cuts : {std::vector<std::int64_t>{17}, {0, 48, 48, 57}}) {
      const auto parts = run_small_net(text, 6, 0.5, cuts);
      EXPECT_EQ(parts.evaluations, whole.evaluations) << text;
      // Only the order of sums in fp64 differs; parameters are rounded to fp32.
      EXPECT_TRUE(torch::allclose(parts.values(), whole.values(), 0, 1e-4))
          << text << ": " << (parts.values() - whole.values()).abs().max();
    }
  }
}

TEST(Lbfgs, LowersTheLossOfAFullBatchAtEachStep) {
  const auto run = run_small_net("lbfgs:max_iter=2", 25, 1);
  for (std::size_t i = 1; i < run.losses.size(); ++i) {
    EXPECT_LT(run.losses[i], run.losses[i - 1]) << "step " << i;
  }
}

TEST(Lbfgs, EvaluatesNoMoreThanItMay) {
  for (const double lr : {1e-3, 1.0, 50.0}) {
    for (const int most : {2, 3, 5, 9, 25}) {
      const auto run = run_small_net("lbfgs:max_eval=" + std::to_string(most), 12, lr);
      EXPECT_THAT(run.evaluations, testing::Each(testing::Le(most))) << lr;
    }
  }
  EXPECT_THAT(run_small_net("lbfgs:max_iter=1,max_eval=1", 5, 1).evaluations,
              testing::Each(2));  // one step is always tried
}

TEST(Lbfgs, GoesOnWhenASearchWasCutShort) {
  // One trial a step. After 26 steps one finds nothing lower; the same again would not either.
  const auto run = run_small_net("lbfgs:max_iter=2,max_eval=2", 100, 1);
  EXPECT_LT(run.losses[99], run.losses[30] - 0.01);
}

/// Parameters [n] of a loss that is computed by hand.
struct ByHand {
  using Loss = std::function<double(const float* at, float* gradient)>;

  ByHand(const std::string& text, const std::vector<float>& start, Loss computes)
      : layer(torch::nn::LinearOptions(static_cast<std::int64_t>(start.size()), 1).bias(false)),
        optimizer(make_optimizer(text, parameters)),
        loss(std::move(computes)) {
    parameters.values().copy_(torch::tensor(start));
  }
  float* values() { return parameters.values().data_ptr<float>(); }
  double step(double lr = 1) {
    const auto objective = [&] {
      ++evaluations;
      return torch::tensor(loss(values(), parameters.gradients().data_ptr<float>()),
                           torch::kFloat32);
    };
    return optimizer->step(objective, {.lr = lr}).item<double>();
  }

  torch::nn::LinearImpl layer;
  FlatParameters parameters{layer};
  std::unique_ptr<Optimizer> optimizer;
  Loss loss;
  int evaluations = 0;
};

double rosenbrock(const float* at, float* gradient) {
  const double x = at[0], y = at[1], curve = y - x * x;
  gradient[0] = static_cast<float>(-400 * x * curve - 2 * (1 - x));
  gradient[1] = static_cast<float>(200 * curve);
  return 100 * curve * curve + (1 - x) * (1 - x);
}

TEST(Lbfgs, FindsTheMinimumOfRosenbrocksValley) {
  ByHand run("lbfgs", {-1.2F, 1}, rosenbrock);
  for (int i = 0; i < 5; ++i) run.step();
  EXPECT_NEAR(run.values()[0], 1, 1e-3);
  EXPECT_NEAR(run.values()[1], 1, 2e-3);
  const int before = run.evaluations;
  run.step();
  EXPECT_LE(run.evaluations - before, 2) << "it was there";
}

/// A parabola beyond which there are no numbers: lowest at 1.5 in each element.
double walled(const float* at, float* gradient) {
  double loss = 0;
  for (int i = 0; i < 2; ++i) {
    const double x = at[i];
    gradient[i] = static_cast<float>(40 * (x - 1.5));
    loss += x > 2 ? std::numeric_limits<double>::infinity() : 20 * (x - 1.5) * (x - 1.5);
  }
  return loss;
}

TEST(Lbfgs, StaysAtAFinitePointAndTriesAShorterStepAfterwards) {
  for (const std::string text : {"lbfgs:max_eval=200", "lbfgs:line_search=none,max_eval=200"}) {
    ByHand run(text, {-30, -10}, walled);
    for (int i = 0; i < 20; ++i) {
      EXPECT_TRUE(std::isfinite(run.step(400))) << text << ", step " << i;
    }
    for (int i = 0; i < 20; ++i) run.step(0.1);
    EXPECT_LT(run.step(0.1), 1e-3) << text;
  }
}

TEST(Lbfgs, LeavesTheParametersWhenTheLossOrTheGradientIsNotFinite) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  for (const bool of_gradient : {false, true}) {
    ByHand run("lbfgs", {3, 4}, [&](const float*, float* gradient) {
      gradient[0] = 1;
      gradient[1] = of_gradient ? kNan : 1;
      return of_gradient ? 1.0 : kNan;
    });
    EXPECT_EQ(std::isfinite(run.step()), of_gradient);
    EXPECT_EQ(run.evaluations, 1);
    EXPECT_EQ(run.values()[0], 3);
    EXPECT_EQ(run.values()[1], 4);
  }
}

TEST(Lbfgs, RefusesClippingAndSaysWhy) {
  torch::nn::LinearImpl layer(2, 1);
  FlatParameters parameters(layer);
  try {
    make_optimizer("lbfgs:clip=1", parameters);
    FAIL() << "the option was taken";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("not that of the loss"));
  }
  EXPECT_NO_THROW(make_optimizer("lbfgs:clip=0", parameters));
  EXPECT_THROW(make_optimizer("lbfgs:line_search=armijo", parameters), UsageError);
}

}  // namespace
}  // namespace yoke
