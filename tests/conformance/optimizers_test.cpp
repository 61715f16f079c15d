#include <ATen/Parallel.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/module.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <optional>
#include <sstream>

#include "tests/support/parameter_name.h"
#include "yoke/core/error.h"
#include "yoke/core/files/file.h"
#include "yoke/core/system/team.h"
#include "yoke/core/system/threads.h"
#include "yoke/optim/optimizer.h"

namespace yoke {
namespace {

/// A module with one parameter vector of `size` elements, all 1.
struct Vector final : torch::nn::Module {
  explicit Vector(std::int64_t size) { value = register_parameter("value", torch::ones({size})); }
  torch::Tensor value;
};

/// An optimizer of default options on the convex loss sum(c w^2) / 2 with c from 0.5 to 2.
struct Descent {
  Descent(const std::string& name, std::int64_t size)
      : vector(size), optimizer(make_optimizer(name, parameters)) {
    curvature = torch::linspace(0.5, 2, size);
  }

  double step() {
    const Objective objective = [this] {
      ++gradients;
      const torch::NoGradGuard no_grad;
      torch::mul_out(parameters.gradients(), curvature, parameters.values());
      return (parameters.gradients() * parameters.values()).sum() / 2;
    };
    return optimizer->step(objective, {.lr = 0.01}).item<double>();
  }

  Vector vector;
  FlatParameters parameters{vector};
  torch::Tensor curvature;
  int gradients = 0;  // that it has been given
  std::unique_ptr<Optimizer> optimizer;
};

class EveryOptimizer : public testing::TestWithParam<std::string> {};

TEST_P(EveryOptimizer, DescendsAConvexLoss) {
  Descent descent(GetParam(), 37);
  const double first = descent.step();
  for (int i = 0; i < 50; ++i) descent.step();
  EXPECT_GT(first, 0);
  EXPECT_LT(descent.step(), 0.7 * first);
}

TEST_P(EveryOptimizer, IsDeterministic) {
  Descent one(GetParam(), 1001), other(GetParam(), 1001);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(one.step(), other.step());
  EXPECT_TRUE(torch::equal(one.parameters.values(), other.parameters.values()));
}

TEST_P(EveryOptimizer, ContinuesBitwiseFromStateCopiedIntoAFreshOne) {
  Descent run(GetParam(), 37), resumed(GetParam(), 37);
  for (int i = 0; i < 3; ++i) run.step();
  resumed.parameters.values().copy_(run.parameters.values());
  const auto source = run.optimizer->state();
  auto target = resumed.optimizer->state();
  ASSERT_EQ(source.size(), target.size());
  for (std::size_t i = 0; i < source.size(); ++i) {
    ASSERT_EQ(source[i].first, target[i].first);
    ASSERT_EQ(source[i].second.sizes(), target[i].second.sizes());
    ASSERT_EQ(source[i].second.scalar_type(), target[i].second.scalar_type());
    target[i].second.copy_(source[i].second.clone());
  }
  for (int i = 0; i < 3; ++i) EXPECT_EQ(run.step(), resumed.step());
  EXPECT_TRUE(torch::equal(run.parameters.values(), resumed.parameters.values()));
}

/// Layers that a step's threads share out: no size is a multiple of a vector's or a thread's.
struct Layers final : torch::nn::Module {
  Layers() {
    torch::manual_seed(5);
    add("embedding", {203, 517});
    add("conv", {61, 33, 3, 3});
    add("scale", {70'001});
    add("bias", {7});
  }
  void add(const char* name, at::IntArrayRef shape) {
    register_parameter(name, torch::randn(shape) / 10);
  }
};

/// The parameters of Layers after some steps on `threads`, those of LibTorch or a team's.
torch::Tensor stepped(const std::string& text, int threads, bool in_a_team) {
  set_threads(1);  // linspace() depends on them
  Layers layers;
  FlatParameters parameters(layers);
  const auto optimizer = make_optimizer(text, parameters);
  const torch::Tensor curvature = torch::linspace(0.5, 2, parameters.size());
  set_threads(threads);
  std::optional<Team> team;
  if (in_a_team) team.emplace(threads);
  for (int step = 0; step < 4; ++step) {
    const Objective objective = [&] {
      const torch::NoGradGuard no_grad;
      torch::mul_out(parameters.gradients(), curvature, parameters.values());
      // One after the other, for a sum of LibTorch's depends on its threads.
      const auto* const values = parameters.values().data_ptr<float>();
      return torch::tensor(std::inner_product(values, values + parameters.size(),
                                              parameters.gradients().data_ptr<float>(), 0.0) /
                               2,
                           torch::kFloat32);
    };
    optimizer->step(objective, {.lr = 0.01});
  }
  return parameters.values().clone();
}

TEST_P(EveryOptimizer, TakesStepsOfEqualBitsOnAnyNumberOfThreads) {
  const int before = at::get_num_threads();
  std::vector<std::string> texts = {GetParam()};
  if (GetParam() != "lbfgs") texts.push_back(GetParam() + ":clip=0.1");
  if (optimizers().choose(GetParam()).traits.can_leave_decay_off) {
    texts.push_back(GetParam() + ":weight_decay=0.1,no_decay=norm+bias");
  }
  for (const std::string& text : texts) {
    const torch::Tensor alone = stepped(text, 1, false);
    for (const int threads : {2, 3, 5}) {
      EXPECT_TRUE(torch::equal(stepped(text, threads, false), alone)) << text << " " << threads;
      EXPECT_EQ(at::get_num_threads(), threads) << "is left with others";
      EXPECT_TRUE(torch::equal(stepped(text, threads, true), alone)) << text << " " << threads;
    }
  }
  set_threads(before);
}

/// Layers of which those at the ends and one in the middle do not learn.
struct HalfFrozen final : torch::nn::Module {
  HalfFrozen() {
    torch::manual_seed(6);
    first = register_parameter("first", torch::randn({3, 7}), /*requires_grad=*/false);
    learned = register_parameter("learned", torch::randn({4, 3}));
    frozen = register_parameter("frozen", torch::randn({5, 7}), /*requires_grad=*/false);
    register_parameter("frozen_bias", torch::randn({5}), /*requires_grad=*/false);
    also_learned = register_parameter("also_learned", torch::randn({4, 5}));
    last = register_parameter("last", torch::randn({6}), /*requires_grad=*/false);
  }
  torch::Tensor first, learned, frozen, also_learned, last;
};

TEST_P(EveryOptimizer, LeavesFrozenParametersAsTheyAre) {
  // A frozen parameter may have a gradient, of an engine that computes all.
  const std::vector<std::string> decaying = {"sgd", "adam", "adamw", "muon", "lars", "lamb"};
  const bool decays = std::find(decaying.begin(), decaying.end(), GetParam()) != decaying.end();
  HalfFrozen module;
  const torch::Tensor first = module.first.clone(), frozen = module.frozen.clone(),
                      last = module.last.clone(), learned = module.learned.detach().clone(),
                      also_learned = module.also_learned.detach().clone();
  FlatParameters parameters(module);
  const auto optimizer =
      make_optimizer(GetParam() + (decays ? ":weight_decay=0.5" : ""), parameters);
  const Objective objective = [&] {
    EXPECT_TRUE(torch::equal(module.frozen, frozen)) << "while a gradient is computed";
    const torch::NoGradGuard no_grad;
    parameters.gradients().copy_(parameters.values());
    for (const auto& slice : parameters.slices()) {
      if (slice.frozen) parameters.gradients().narrow(0, slice.offset, slice.elements).fill_(3);
    }
    return parameters.values().square().sum() / 2;
  };
  for (int step = 0; step < 3; ++step) optimizer->step(objective, {.lr = 0.1});
  EXPECT_TRUE(torch::equal(module.first, first));
  EXPECT_TRUE(torch::equal(module.frozen, frozen));
  EXPECT_TRUE(torch::equal(module.last, last));
  EXPECT_FALSE(torch::equal(module.learned, learned));
  EXPECT_FALSE(torch::equal(module.also_learned, also_learned));
  for (const auto& [name, tensor] : optimizer->state()) {
    constexpr std::int64_t kLearned = 4 * 3, kFrozen = 5 * 7 + 5, kAlsoLearned = 4 * 5;
    EXPECT_NE(tensor.numel(), parameters.size()) << name << " has state of what never learns";
    if (tensor.dim() != 1 || tensor.numel() != kLearned + kFrozen + kAlsoLearned) continue;
    EXPECT_EQ(tensor.narrow(0, kLearned, kFrozen).abs().max().item<float>(), 0) << name;
  }
}

TEST_P(EveryOptimizer, LeavesFrozenParametersAsTheyAreWhenTheObjectiveThrows) {
  HalfFrozen module;
  const torch::Tensor before = module.frozen.clone();
  FlatParameters parameters(module);
  const auto optimizer = make_optimizer(GetParam(), parameters);
  int calls = 0;
  const Objective objective = [&]() -> torch::Tensor {
    if (++calls == 2) throw Error("a lost peer");
    parameters.gradients().fill_(1);
    return torch::ones({});
  };
  try {
    for (int step = 0; step < 2; ++step) optimizer->step(objective, {.lr = 0.1});
    FAIL() << "nothing was thrown";
  } catch (const Error&) {
    EXPECT_TRUE(torch::equal(module.frozen, before));
  }
}

TEST_P(EveryOptimizer, StaysFiniteWithoutEpsilonWhereAGradientIsZero) {
  Vector vector(3);
  FlatParameters parameters(vector);
  const auto specs = optimizers().find(GetParam()).plugin.options();
  const bool divides = std::any_of(specs.begin(), specs.end(),
                                   [](const OptionSpec& spec) { return spec.name == "eps"; });
  if (!divides) return;
  const auto optimizer = make_optimizer(GetParam() + ":eps=0", parameters);
  const Objective objective = [&] {
    parameters.gradients().copy_(torch::tensor({1.0F, 0.0F, 1e-30F}));
    return torch::ones({});
  };
  for (int step = 0; step < 3; ++step) optimizer->step(objective, {.lr = 0.1});
  EXPECT_TRUE(torch::isfinite(parameters.values()).all().item<bool>()) << parameters.values();
  EXPECT_LT((parameters.values() - 1).abs().max().item<float>(), 1) << "moves by the rate";
}

TEST_P(EveryOptimizer, TakesNoParameters) {
  Descent descent(GetParam(), 0);
  EXPECT_EQ(descent.step(), 0);
  EXPECT_EQ(descent.step(), 0);
}

TEST_P(EveryOptimizer, RefusesAnUnknownOptionAndListsItsOwn) {
  Vector vector(1);
  FlatParameters parameters(vector);
  try {
    make_optimizer(GetParam() + ":no_such_option=1", parameters);
    FAIL() << "the option was taken";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("no_such_option"));
    EXPECT_THAT(error.what(), testing::HasSubstr("allowed: "));
  }
}

TEST_P(EveryOptimizer, IsWhatItsTraitsSay) {
  const auto traits = optimizers().choose(GetParam()).traits;
  Descent whole(GetParam(), 37), part(GetParam(), 20);
  EXPECT_GT(traits.default_lr, 0);
  Descent once(GetParam(), 37);
  once.step();
  EXPECT_EQ(once.gradients == 1, traits.first_order);
  if (!traits.elementwise) return;
  part.curvature.copy_(whole.curvature.narrow(0, 0, 20));
  for (int i = 0; i < 3; ++i) whole.step(), part.step();
  EXPECT_TRUE(torch::equal(whole.parameters.values().narrow(0, 0, 20), part.parameters.values()));
}

TEST_P(EveryOptimizer, ClipsTheNormOfAllPartsOrSaysWhyNot) {
  const std::string text = GetParam() + ":clip=0.5";
  if (optimizers().choose(GetParam()).traits.first_order) {
    EXPECT_FALSE(optimizers().choose(text).traits.elementwise);
  } else {
    EXPECT_THAT([&] { optimizers().choose(text); },
                testing::ThrowsMessage<UsageError>(testing::AllOf(
                    testing::HasSubstr(GetParam()), testing::HasSubstr("leave clip out"))));
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryOptimizer, testing::ValuesIn(optimizers().names()),
                         test::parameter_name);

}  // namespace
}  // namespace yoke
