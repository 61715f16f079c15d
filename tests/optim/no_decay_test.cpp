// tests/optim/no_decay_test.cpp: weight decay left off some parameters, beside LibTorch's groups.
#include "yoke/optim/no_decay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/normalization.h>
#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/sgd.h>

#include <set>

#include "tests/optim/small_net.h"
#include "yoke/core/error.h"

namespace yoke {
namespace {

using torch::Tensor;

constexpr double kDecayedRate = 0.05;

/// A layer, its norm, a token of three dimensions and another layer, on fixed data.
struct NormedNetImpl final : torch::nn::Module {
  NormedNetImpl() {
    const torch::NoGradGuard no_grad;
    register_module("fc1", fc1);
    register_module("norm", norm);
    class_token = register_parameter("class_token", torch::zeros({1, 1, 8}));
    register_module("fc2", fc2);
    for (auto& parameter : parameters()) {
      parameter.copy_(test::scattered(parameter.sizes(), 37) + 0.5);
    }
  }

  /// Leaves the gradient.
  Tensor loss() {
    for (auto& parameter : parameters()) {
      if (parameter.grad().defined()) parameter.mutable_grad().zero_();
    }
    const Tensor hidden = norm(fc1(test::scattered({24, 6}, 53))) + class_token[0];
    const auto loss = fc2(hidden.tanh()).square().mean();
    loss.backward();
    return loss.detach();
  }

  torch::nn::Linear fc1{6, 8}, fc2{8, 4};
  torch::nn::LayerNorm norm{torch::nn::LayerNormOptions({8})};
  Tensor class_token;
};
TORCH_MODULE(NormedNet);

const std::set<std::string> kBiases = {"fc1.bias", "norm.bias", "fc2.bias"};
const std::set<std::string> kBiasesAndScale = {"fc1.bias", "norm.bias", "fc2.bias", "norm.weight"};

/// All parameters after some steps of the optimizer that `text` names.
Tensor after_steps(const std::string& text) {
  NormedNet net;
  FlatParameters parameters(*net);
  const auto optimizer = make_optimizer(text, parameters);
  for (int i = 0; i < 20; ++i) optimizer->step([&] { return net->loss(); }, {.lr = kDecayedRate});
  return parameters.values().clone();
}

/// Compares with LibTorch's `Reference`, given those of `undecayed` as a group without decay.
/// Tolerance: a few roundings a step, which differ where ATen fuses a multiplication with an
/// addition.
template <typename Reference, typename Options>
void expect_like_two_groups(const std::string& text, Options decaying,
                            const std::set<std::string>& undecayed) {
  NormedNet net;
  std::vector<Tensor> with, without;
  for (const auto& item : net->named_parameters()) {
    (undecayed.count(item.key()) == 1 ? without : with).push_back(item.value());
  }
  ASSERT_EQ(without.size(), undecayed.size());
  Options plain = decaying;
  plain.weight_decay(0);
  std::vector<torch::optim::OptimizerParamGroup> groups;
  groups.emplace_back(with, std::make_unique<Options>(decaying));
  groups.emplace_back(without, std::make_unique<Options>(plain));
  Reference reference(groups, decaying);
  for (int i = 0; i < 20; ++i) {
    net->loss();
    reference.step();
  }
  const Tensor ours = after_steps(text), theirs = FlatParameters(*net).values();
  EXPECT_TRUE(torch::allclose(ours, theirs, 1e-6, 1e-6)) << text << "\n"
                                                         << (ours - theirs).abs().max();
}

TEST(NoDecay, EqualsAGroupOfParametersWithoutDecay) {
  const auto sgd = torch::optim::SGDOptions(kDecayedRate).momentum(0.9).weight_decay(0.3);
  const auto adam = torch::optim::AdamOptions(kDecayedRate).weight_decay(0.3);
  const auto adamw = torch::optim::AdamWOptions(kDecayedRate).weight_decay(0.3);
  for (const auto& [rule, undecayed] :
       {std::pair{",no_decay=none", std::set<std::string>()}, std::pair{",no_decay=bias", kBiases},
        std::pair{",no_decay=norm+bias", kBiasesAndScale}}) {
    using namespace torch::optim;
    expect_like_two_groups<SGD>(std::string("sgd:momentum=0.9,weight_decay=0.3") + rule, sgd,
                                undecayed);
    expect_like_two_groups<Adam>(std::string("adam:weight_decay=0.3") + rule, adam, undecayed);
    expect_like_two_groups<AdamW>(std::string("adamw:weight_decay=0.3") + rule, adamw, undecayed);
  }
}

TEST(NoDecay, IsNoneWhereItIsNotGiven) {
  for (const std::string text : {"sgd:weight_decay=0.3", "adamw:weight_decay=0.3"}) {
    EXPECT_TRUE(torch::equal(after_steps(text), after_steps(text + ",no_decay=none")));
    EXPECT_FALSE(torch::allclose(after_steps(text), after_steps(text + ",no_decay=bias")));
  }
}

class NoDecayOfParts : public testing::TestWithParam<std::string> {};

TEST_P(NoDecayOfParts, MovesThemExactlyAsTheWhole) {
  // The layers are 48 weights, 8 biases, 32 and 4: the cuts lie in each of them and at a border.
  for (const std::vector<std::int64_t>& cuts :
       {std::vector<std::int64_t>{50}, {20, 56}, {48, 70, 90}}) {
    const auto whole = test::run_small_net(GetParam(), 5, 0.1);
    const auto parts = test::run_small_net(GetParam(), 5, 0.1, cuts);
    EXPECT_TRUE(torch::equal(parts.values(), whole.values()));
  }
}

INSTANTIATE_TEST_SUITE_P(Optimizers, NoDecayOfParts,
                         testing::Values("sgd:weight_decay=0.3,no_decay=bias",
                                         "sgd:momentum=0.9,weight_decay=0.3,no_decay=norm+bias",
                                         "adam:weight_decay=0.3,no_decay=bias",
                                         "adamw:weight_decay=0.3,no_decay=norm+bias"),
                         [](const auto& info) { return "Case" + std::to_string(info.index); });

TEST(NoDecay, GoesByTheLastPartOfANameAndByDimensions) {
  struct Case {
    std::string name;
    std::vector<std::int64_t> shape;
    bool bias, norm_and_bias;
  };
  const std::vector<Case> cases = {{"conv1.weight", {8, 3, 3, 3}, false, false},
                                   {"fc.bias", {10}, true, true},
                                   {"bias", {}, true, true},
                                   {"heads.bias", {4, 4}, true, true},
                                   {"bias.weight", {4, 4}, false, false},
                                   {"self_attention.in_proj_bias", {12}, false, true},
                                   {"bn1.weight", {8}, false, true},
                                   {"temperature", {}, false, true},
                                   {"block.layer_scale", {8, 1, 1}, false, false},
                                   {"class_token", {1, 1, 8}, false, false}};
  for (const auto& [name, shape, bias, norm_and_bias] : cases) {
    const ParameterSlice slice{.name = name, .shape = shape};
    EXPECT_FALSE(leaves_off(NoDecay::kNone, slice)) << name;
    EXPECT_EQ(leaves_off(NoDecay::kBias, slice), bias) << name;
    EXPECT_EQ(leaves_off(NoDecay::kNormAndBias, slice), norm_and_bias) << name;
  }
}

TEST(NoDecay, CoversNeighboursByOneRange) {
  NormedNet net;  // in the order of names: the module's own parameters come first
  const FlatParameters parameters(*net);
  const auto ranges = [&](const FlatParameters& of, NoDecay rule) {
    std::vector<std::pair<std::int64_t, std::int64_t>> found;
    for (const auto& [begin, end] : undecayed_ranges(of, rule)) found.emplace_back(begin, end);
    return found;
  };
  using testing::ElementsAre, testing::IsEmpty, testing::Pair;
  EXPECT_THAT(ranges(parameters, NoDecay::kNone), IsEmpty());
  EXPECT_THAT(ranges(parameters, NoDecay::kBias),
              ElementsAre(Pair(56, 64), Pair(72, 80), Pair(112, 116)));
  EXPECT_THAT(ranges(parameters, NoDecay::kNormAndBias), ElementsAre(Pair(56, 80), Pair(112, 116)));
  EXPECT_THAT(ranges(parameters.part(60, 114), NoDecay::kNormAndBias),
              ElementsAre(Pair(0, 20), Pair(52, 54)));
}

TEST(NoDecay, RefusesWhatItDoesNotKnowAndOptimizersWithoutDecay) {
  EXPECT_THAT([] { optimizers().choose("sgd:no_decay=norm"); },
              testing::ThrowsMessage<UsageError>(testing::HasSubstr("none, bias, norm+bias")));
  EXPECT_THAT([] { optimizers().choose("lbfgs:no_decay=bias"); },
              testing::ThrowsMessage<UsageError>(testing::HasSubstr("'lbfgs' was given no_decay")));
  EXPECT_NO_THROW(optimizers().choose("lbfgs:no_decay=none"));
}

}  // namespace
}  // namespace yoke
