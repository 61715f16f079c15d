// tests/optim/scaled_test.cpp: optimizers around gradients of losses that were scaled.
#include "yoke/optim/scaled.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/module.h>

#include <limits>
#include <optional>

#include "tests/optim/problem.h"
#include "tests/support/gpus.h"
#include "yoke/core/error.h"

namespace yoke {
namespace {

using test::Problem;
using torch::Tensor;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// A flat gradient [elements].
struct Flat {
  explicit Flat(std::int64_t elements) {
    module.register_parameter("values", torch::zeros({elements}));
    parameters.emplace(module);
    torch::manual_seed(2);
    parameters->gradients().copy_(torch::randn({elements}));
  }
  Tensor gradients() { return parameters->gradients(); }

  torch::nn::Module module;
  std::optional<FlatParameters> parameters;
};

TEST(UnscaleGradient, DividesEachElement) {
  for (const std::int64_t elements : {0, 1, 17, 1000, 100'003}) {
    Flat flat(elements);
    const Tensor expected = flat.gradients() / 1024;  // of a power of two: without rounding
    EXPECT_TRUE(unscale_gradient(*flat.parameters, 1024)) << elements;
    EXPECT_TRUE(flat.gradients().equal(expected)) << elements;
  }
}

TEST(UnscaleGradient, FindsWhatIsNotFiniteWhereverItIs) {
  for (const std::int64_t elements : {1, 17, 100'003}) {
    for (const float odd : {kInfinity, -kInfinity, kNan}) {
      for (const std::int64_t place : {std::int64_t{0}, elements / 2, elements - 1}) {
        Flat flat(elements);
        flat.gradients()[place] = odd;
        EXPECT_FALSE(unscale_gradient(*flat.parameters, 8)) << odd << " at " << place;
      }
    }
  }
}

TEST(UnscaleGradient, TakesTheLargestNumberForFinite) {
  Flat flat(17);
  flat.gradients()[3] = std::numeric_limits<float>::max();
  EXPECT_TRUE(unscale_gradient(*flat.parameters, 1));
}

TEST(UnscaleGradient, HearsOfOtherParts) {
  Flat flat(17);
  EXPECT_TRUE(unscale_gradient({*flat.parameters, [](const Tensor&) {}}, 2));
  EXPECT_FALSE(unscale_gradient({*flat.parameters, [](const Tensor& flag) { flag.add_(1); }}, 2))
      << "another part was not finite";
  Tensor told;
  flat.gradients()[3] = kInfinity;
  unscale_gradient({*flat.parameters, [&](const Tensor& flag) { told = flag.clone(); }}, 2);
  EXPECT_EQ(told.item<float>(), 1);
}

TEST(UnscaleGradient, EqualsItselfOnAGpu) {
  YOKE_NEEDS_GPUS(1);
  for (const float planted : {1.0F, kInfinity, kNan}) {
    Flat flat(1000);
    flat.gradients()[700] = planted;
    torch::nn::Module module;
    module.register_parameter("values", torch::zeros({1000}, torch::kCUDA));
    FlatParameters there(module);
    there.gradients().copy_(flat.gradients());
    EXPECT_EQ(unscale_gradient(there, 64), unscale_gradient(*flat.parameters, 64));
    EXPECT_TRUE(there.gradients().cpu().allclose(flat.gradients(), 0, 0, /*equal_nan=*/true));
  }
}

/// An optimizer around scaled losses, whose gradient overflows where it is told to.
struct ScaledRun {
  ScaledRun(const std::string& text, const LossScalerOptions& options)
      : scaler(options), optimizer(make_optimizer(text, parameters, &scaler)) {}

  double step(bool overflows = false) {
    const Objective objective = [&] {
      Tensor loss = problem.loss();
      parameters.gradients().mul_(scaler.scale());
      if (overflows) parameters.gradients()[11] = kInfinity;
      return loss;
    };
    return optimizer->step(objective, {.lr = 0.05}).item<double>();
  }

  Problem problem;
  FlatParameters parameters{*problem.layer};
  LossScaler scaler;
  std::unique_ptr<Optimizer> optimizer;
};

TEST(Scaled, TakesTheStepsOfLossesThatAreNotScaled) {
  for (const char* const text : {"sgd:momentum=0.9", "adam", "sgd:momentum=0.9,clip=0.3", "lamb"}) {
    ScaledRun scaled(text, {.initial = 1024, .growth_interval = 4});
    test::OptimizerRun plain(text);
    for (int step = 0; step < 10; ++step) {
      EXPECT_EQ(scaled.step(), plain.step({.lr = 0.05}).item<double>()) << text << ", " << step;
    }
    EXPECT_TRUE(scaled.parameters.values().equal(plain.parameters.values())) << text;
    EXPECT_EQ(scaled.scaler.scale(), 4096);
  }
}

TEST(Scaled, LeavesOutExactlyTheStepThatOverflows) {
  ScaledRun run("adam:clip=1", {.initial = 1024});
  ScaledRun without("adam:clip=1", {.initial = 1024});
  for (int step = 0; step < 6; ++step) {
    if (step == 3) {
      const Tensor values = run.parameters.values().clone();
      std::vector<Tensor> state;
      for (const auto& item : run.optimizer->state()) state.push_back(item.second.clone());
      run.step(/*overflows=*/true);
      EXPECT_TRUE(run.parameters.values().equal(values));
      const auto after = run.optimizer->state();
      for (std::size_t i = 0; i < state.size(); ++i) {
        EXPECT_TRUE(after[i].second.equal(state[i])) << after[i].first;
      }
      EXPECT_EQ(run.scaler.scale(), 512);
    }
    EXPECT_EQ(run.step(), without.step()) << step;
  }
  EXPECT_TRUE(run.parameters.values().equal(without.parameters.values()));
  EXPECT_EQ(run.scaler.skipped(), 1);
}

TEST(Scaled, RefusesAnOptimizerOfSeveralGradients) {
  EXPECT_THAT([] { ScaledRun("lbfgs", {}); },
              testing::ThrowsMessage<UsageError>(testing::HasSubstr("--optimizer")));
}

}  // namespace
}  // namespace yoke
