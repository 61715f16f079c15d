#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "yoke/core/error.h"
#include "yoke/models/model.h"

namespace yoke {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

const ModelInput kDigits{{1, 28, 28}, 10};
const ModelInput kColour{{3, 32, 32}, 10};

std::int64_t parameters_of(std::string_view text, const ModelInput& input) {
  return count_parameters(*make_model(text, input, 1).module);
}

torch::Tensor images(const Model& model, std::int64_t count) {
  torch::manual_seed(5);
  return torch::randn({count, model.input.channels, model.input.height, model.input.width});
}

TEST(Models, HaveTheParametersOfTheirLayers) {
  // Weights and biases of each layer, in order.
  EXPECT_EQ(parameters_of("mlp", kDigits), (784 + 1) * 256 + (256 + 1) * 256 + (256 + 1) * 10);
  EXPECT_EQ(parameters_of("mlp:layers=0", kDigits), (784 + 1) * 10);
  EXPECT_EQ(parameters_of("lenet", kDigits), 156 + 2'416 + 48'120 + 10'164 + 850);
  EXPECT_EQ(parameters_of("lenet", {{3, 64, 64}, 1000}), 456 + 2'416 + 48'120 + 10'164 + 85'000);
  EXPECT_EQ(parameters_of("lab-cnn", kDigits), 416 + 12'832 + 66'048 + 131'328 + 2'570);
  EXPECT_EQ(parameters_of("six-layer", kDigits), 320 + 18'496 + 73'856 + 295'168 + 32'896 + 1'290);
  EXPECT_EQ(parameters_of("six-layer", kColour), 896 + 18'496 + 73'856 + 524'544 + 32'896 + 1'290);
  EXPECT_EQ(parameters_of("airbench", kColour), 1'972'826);
  EXPECT_EQ(parameters_of("cifar-net", kColour), 4'864 + 25'616 + 48'120 + 10'164 + 850);
}

TEST(Models, AirbenchBeginsWithAnOrthonormalBasisAndItsNegatives) {
  for (const std::int64_t channels : {1, 3, 4}) {
    const Model model = make_model("airbench", {{channels, 32, 32}, 10}, 1);
    const auto filters = model.module->named_parameters()["patches.weight"].flatten(1);
    const std::int64_t half = 4 * channels;
    ASSERT_EQ(filters.sizes(), (std::vector<std::int64_t>{2 * half, half}));
    const auto basis = filters.slice(0, 0, half);
    EXPECT_TRUE(torch::allclose(basis.matmul(basis.t()), torch::eye(half), 0, 1e-6));
    EXPECT_TRUE(torch::equal(filters.slice(0, half), -basis));
  }
}

TEST(Models, AirbenchBlocksBeginByPassingTheirInputOn) {
  const auto parameters = make_model("airbench", kColour, 1).module->named_parameters();
  const auto x = torch::rand({1, 64, 6, 6});
  const auto y = torch::conv2d(x, parameters["block2.conv1.weight"], {}, 1, 1);
  EXPECT_TRUE(torch::equal(y.slice(1, 0, 64), x));
  EXPECT_FALSE(torch::equal(y.slice(1, 64, 128), x));
}

TEST(Models, TakeTheirOwnOrTheDataSetsSize) {
  for (const char* name : {"lenet", "lab-cnn", "cifar-net"}) {
    EXPECT_EQ(make_model(name, kDigits, 1).input, (ImageShape{1, 32, 32})) << name;
  }
  for (const char* name : {"mlp", "six-layer", "resnet18"}) {
    EXPECT_EQ(make_model(name, kDigits, 1).input, kDigits.image) << name;
  }
}

TEST(Models, SixLayerTakesSidesThatEightDoesNotDivide) {
  const Model model = make_model("six-layer", {{2, 9, 23}, 4}, 1);
  EXPECT_EQ(model.forward(images(model, 3)).sizes(), (std::vector<std::int64_t>{3, 4}));
}

TEST(Models, RejectImagesThatAreTooSmall) {
  EXPECT_NO_THROW(make_model("six-layer", {{1, 8, 8}, 10}, 1));
  EXPECT_THAT(
      [] {
        make_model("six-layer", {{1, 28, 7}, 10}, 1);
      },
      ThrowsMessage<UsageError>(
          AllOf(HasSubstr("'six-layer'"), HasSubstr("1x28x7"), HasSubstr("8x8"))));
  EXPECT_NO_THROW(make_model("resnet18", {{1, 9, 9}, 10}, 1));
  EXPECT_THAT(
      [] {
        make_model("resnet18", {{1, 8, 9}, 10}, 1);
      },
      ThrowsMessage<UsageError>(
          AllOf(HasSubstr("'resnet18'"), HasSubstr("1x8x9"), HasSubstr("9x9"))));
}

TEST(Models, LabCnnDropsInTrainingOnly) {
  const Model model = make_model("lab-cnn", kDigits, 1);
  const auto input = images(model, 4);
  EXPECT_FALSE(torch::equal(model.forward(input), model.forward(input)));
  model.module->eval();
  const auto scores = model.forward(input);
  EXPECT_TRUE(torch::equal(scores, model.forward(input)));
  // Log-probabilities; the tolerance is that of a sum of ten fp32 numbers.
  EXPECT_TRUE(torch::allclose(scores.exp().sum(1), torch::ones(4), 0, 1e-6));
}

TEST(Models, LabCnnDropsNothingWhenDropoutIsZero) {
  const Model model = make_model("lab-cnn:dropout=0", kDigits, 1);
  const auto input = images(model, 4);
  EXPECT_TRUE(torch::equal(model.forward(input), model.forward(input)));
}

TEST(Models, LenetTakesTheActivationItIsGiven) {
  const Model relu = make_model("lenet", kDigits, 1);
  const Model tanh = make_model("lenet:activation=tanh", kDigits, 1);
  const auto input = images(relu, 2);
  const auto weights = tanh.module->named_parameters();
  const auto layer = [&weights](const torch::Tensor& x, const std::string& name) {
    const auto& weight = weights[name + ".weight"];
    const auto& bias = weights[name + ".bias"];
    return weight.dim() == 4 ? torch::conv2d(x, weight, bias) : torch::addmm(bias, x, weight.t());
  };
  auto x = torch::max_pool2d(layer(input, "conv1").tanh(), 2);
  x = torch::max_pool2d(layer(x, "conv2").tanh(), 2).flatten(1);
  x = layer(layer(layer(x, "fc1").tanh(), "fc2").tanh(), "fc3");
  EXPECT_TRUE(torch::allclose(tanh.forward(input), x));
  EXPECT_FALSE(torch::allclose(relu.forward(input), x));
}

TEST(Models, RejectOptionsOutOfRange) {
  EXPECT_THROW(make_model("lab-cnn:dropout=1", kDigits, 1), UsageError);
  EXPECT_THROW(make_model("lenet:activation=gelu", kDigits, 1), UsageError);
  EXPECT_THROW(make_model("resnet18:stem=none", kDigits, 1), UsageError);
  EXPECT_THROW(make_model("mlp:hidden=0", kDigits, 1), UsageError);
}

}  // namespace
}  // namespace yoke
