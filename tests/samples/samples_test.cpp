// The sample plug-ins of CONTRIBUTING.md in registries of their own, where the conformance tests of
// models and optimizers meet them, too.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/linear.h>

#include "yoke/core/error.h"
#include "yoke/models/model.h"
#include "yoke/optim/optimizer.h"

namespace yoke {
namespace {

using testing::HasSubstr;

TEST(SampleModel, IsMadeWithItsOption) {
  const ModelInput input{.image = {1, 28, 28}, .classes = 10};
  const Model model = make_model("small-cnn:channels=4", input, 1);
  EXPECT_EQ(model.module->parameters().front().size(0), 4);
  EXPECT_EQ(make_model("small-cnn", input, 1).module->parameters().front().size(0), 16);
  EXPECT_THAT([&] { make_model("small-cnn:channels=0", input, 1); },
              testing::ThrowsMessage<UsageError>(HasSubstr("a whole number in [1, 4096]")));
}

TEST(SampleModel, TellsItsOption) {
  const auto specs = models().find("small-cnn").plugin.options();
  ASSERT_EQ(specs.size(), 1U);
  EXPECT_EQ(specs[0].name, "channels");
  EXPECT_EQ(specs[0].fallback, "16");
  EXPECT_EQ(specs[0].meaning, "of the first convolution");
}

TEST(SampleOptimizer, TakesTheStepOfItsFormula) {
  torch::nn::Linear layer(2, 1);
  FlatParameters parameters(*layer);
  const auto before = parameters.values().clone();
  const auto optimizer = make_optimizer("signum:weight_decay=0.5", parameters);
  optimizer->step(
      [&] {
        parameters.gradients().fill_(-3);
        return torch::zeros({});
      },
      {.lr = 0.1});
  EXPECT_TRUE(torch::allclose(parameters.values(), before * 0.95 + 0.1));
}

TEST(SampleOptimizer, TellsItsOptionsAndThatOfEveryOptimizer) {
  std::vector<std::string> names;
  for (const auto& spec : optimizers().find("signum").plugin.options()) names.push_back(spec.name);
  EXPECT_THAT(names, testing::ElementsAre("momentum", "weight_decay", "clip"));
  EXPECT_TRUE(optimizers().choose("signum").traits.elementwise);
}

}  // namespace
}  // namespace yoke
