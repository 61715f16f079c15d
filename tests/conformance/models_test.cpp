// tests/conformance/models_test.cpp: what holds for every model of the registry.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/utils.h>

#include "tests/support/model_forms.h"
#include "yoke/core/error.h"
#include "yoke/core/flat_parameters.h"
#include "yoke/engine/trace.h"
#include "yoke/models/model.h"

namespace yoke {
namespace {

/// A model by name, for images of one shape.
class ModelConformance : public testing::TestWithParam<std::tuple<std::string, ImageShape>> {
 protected:
  void SetUp() override {
    try {
      model_ = make(1);
    } catch (const UsageError& error) {
      GTEST_SKIP() << error.what();
    }
  }

  static Model make(std::uint64_t seed, const std::string& options = "") {
    const auto& [name, image] = GetParam();
    return make_model(options.empty() ? name : test::with_option(name, options), {image, 7}, seed);
  }

  torch::Tensor images(std::int64_t count) const {
    torch::manual_seed(5);
    return torch::randn({count, model_.input.channels, model_.input.height, model_.input.width});
  }

  /// Goes over to evaluation with batch norms that know images: without, the scores of deep
  /// networks are next to nothing.
  void evaluate() {
    for (const auto& module : model_.module->modules()) {
      if (auto* norm = module->as<torch::nn::BatchNorm2d>()) norm->options.momentum(1.0);
    }
    model_.module->train();
    const torch::NoGradGuard no_grad;
    model_.forward(images(17));
    model_.module->eval();
  }

  Model model_;
};

std::vector<torch::Tensor> tensors(const Model& model) {
  auto tensors = model.module->parameters();
  for (const auto& buffer : model.module->buffers()) tensors.push_back(buffer);
  return tensors;
}

TEST_P(ModelConformance, ScoresEveryImageOfABatch) {
  EXPECT_EQ(model_.input.channels, std::get<ImageShape>(GetParam()).channels);
  for (const std::int64_t count : {1, 17}) {
    const auto scores = model_.forward(images(count));
    EXPECT_EQ(scores.sizes(), (std::vector<std::int64_t>{count, 7}));
    EXPECT_EQ(scores.scalar_type(), torch::kFloat32);
    EXPECT_TRUE(scores.isfinite().all().item<bool>());
  }
}

TEST_P(ModelConformance, SendsAGradientToEveryParameter) {
  const auto scores = model_.forward(images(17));
  torch::cross_entropy_loss(scores, torch::arange(17) % 7).backward();
  for (const auto& parameter : model_.module->named_parameters()) {
    ASSERT_TRUE(parameter->grad().defined()) << parameter.key();
    EXPECT_TRUE(parameter->grad().isfinite().all().item<bool>()) << parameter.key();
    EXPECT_GT(parameter->grad().abs().max().item<double>(), 0) << parameter.key();
  }
}

TEST_P(ModelConformance, DrawsItsWeightsFromTheSeed) {
  const auto weights = tensors(model_), again = tensors(make(1)), other = tensors(make(2));
  ASSERT_EQ(weights.size(), again.size());
  bool differs = false;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    EXPECT_TRUE(torch::equal(weights[i], again[i]));
    differs |= !torch::equal(weights[i], other[i]);
  }
  EXPECT_TRUE(differs);
}

TEST_P(ModelConformance, IsDeterministicInEvaluationMode) {
  evaluate();
  const auto input = images(3);
  const auto scores = model_.forward(input);
  EXPECT_TRUE(torch::equal(model_.forward(input), scores));
  // Nor does an image's score depend on its batch, but for the order of sums, whose rounding goes
  // by the large ones.
  const auto alone = model_.forward(input.slice(0, 1, 2))[0];
  const auto size = scores[1].abs().max().item<double>();
  EXPECT_TRUE(torch::allclose(alone, scores[1], 1e-4, 1e-5 * (1 + size)))
      << (alone - scores[1]).abs().max().item<double>() << " apart, of " << size;
}

TEST_P(ModelConformance, RejectsAnUnknownOption) {
  const auto& form = std::get<std::string>(GetParam());
  EXPECT_THAT([] { make(1, "no_such_option=1"); },
              testing::ThrowsMessage<UsageError>(testing::AllOf(
                  testing::HasSubstr("no_such_option"), testing::HasSubstr("allowed:"),
                  testing::HasSubstr("'" + form.substr(0, form.find(':')) + "'"))));
}

TEST_P(ModelConformance, TracesWithEveryWeightAsAnInput) {
  for (const bool training : {true, false}) {
    model_.module->train(training);
    const auto graph = trace(model_, images(2));
    ASSERT_EQ(graph->inputs().size(), 1 + tensors(model_).size());
    const auto parameters = model_.module->parameters().size();
    for (std::size_t i = 0; i <= parameters; ++i) {
      EXPECT_TRUE(graph->inputs()[i]->hasUses()) << graph->inputs()[i]->debugName();
    }
    for (const auto* node : graph->nodes()) {
      if (node->kind() != c10::prim::Constant) continue;
      const auto value = torch::jit::toIValue(node->output());
      EXPECT_FALSE(value && value->isTensor() && value->toTensor().numel() > 1);
    }
    ASSERT_EQ(graph->outputs().size(), 1u);
    const auto type = graph->outputs()[0]->type()->expect<c10::TensorType>();
    EXPECT_EQ(*type->sizes().concrete_sizes(), (std::vector<std::int64_t>{2, 7}));
  }
}

TEST_P(ModelConformance, ScoresAlikeWhenItsParametersAreFlat) {
  evaluate();
  const auto input = images(3);
  const auto scores = model_.forward(input);
  FlatParameters parameters(*model_.module);
  EXPECT_EQ(parameters.size(), count_parameters(*model_.module));
  // Views of a flat vector are aligned differently, and sums may be taken in another order.
  EXPECT_TRUE(torch::allclose(model_.forward(input), scores, 1e-4, 1e-5));
  const torch::NoGradGuard no_grad;
  parameters.values().mul_(0.5);
  EXPECT_FALSE(torch::allclose(model_.forward(input), scores, 1e-4, 1e-5));
}

INSTANTIATE_TEST_SUITE_P(
    Registry, ModelConformance,
    testing::Combine(testing::ValuesIn(test::model_forms()),
                     testing::Values(ImageShape{1, 28, 28}, ImageShape{3, 32, 32})),
    [](const auto& info) {
      return test::test_name(std::get<0>(info.param) + "_" + std::get<1>(info.param).str());
    });

}  // namespace
}  // namespace yoke
