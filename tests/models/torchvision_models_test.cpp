// tests/models/torchvision_models_test.cpp: models of torchvision's layers begin as torchvision's
// do. That they score alike is in tests/train/torchvision_test.cpp.
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <cmath>

#include "yoke/models/input_size.h"
#include "yoke/models/model.h"
#include "yoke/models/stochastic_depth.h"

namespace yoke {
namespace {

const ModelInput kPhotos{{3, 224, 224}, 1000};

torch::OrderedDict<std::string, torch::Tensor> start_of(std::string_view text) {
  return make_model(text, kPhotos, 1).module->named_parameters();
}

void expect_normal(const torch::Tensor& weight, double deviation) {
  const auto count = static_cast<double>(weight.numel());
  // Five deviations of what is measured.
  EXPECT_NEAR(weight.std().item<double>(), deviation, 5 * deviation / std::sqrt(2 * count));
  EXPECT_NEAR(weight.mean().item<double>(), 0, 5 * deviation / std::sqrt(count));
}

void expect_all(const torch::Tensor& tensor, double value) {
  EXPECT_TRUE(tensor.eq(value).all().item<bool>());
}

TEST(TorchvisionModels, HaveTorchvisionsParameterCounts) {
  for (const auto& [name, count] : {std::pair{"vgg11", 132'868'840},
                                    {"vgg16", 138'365'992},
                                    {"mobilenet-v2", 3'504'872},
                                    {"mobilenet-v3-large", 5'483'032},
                                    {"efficientnet-b0", 5'288'548},
                                    {"densenet121", 7'978'856}}) {
    EXPECT_EQ(count_parameters(*make_model(name, kPhotos, 1).module), count) << name;
  }
}

TEST(TorchvisionModels, VggStartsAsTorchvisions) {
  const auto start = start_of("vgg11:hidden=64");
  EXPECT_EQ(start["classifier.0.weight"].sizes(), (std::vector<std::int64_t>{64, 25'088}));
  EXPECT_EQ(start["classifier.3.weight"].sizes(), (std::vector<std::int64_t>{64, 64}));
  expect_normal(start["features.22.weight"], std::sqrt(2.0 / (512 * 9)));  // fan out
  expect_all(start["features.22.bias"], 0);
  expect_normal(start["classifier.0.weight"], 0.01);
  expect_all(start["classifier.6.bias"], 0);
}

TEST(TorchvisionModels, MobilenetsStartAsTorchvisions) {
  const auto v2 = start_of("mobilenet-v2");
  expect_normal(v2["features.17.conv.1.0.weight"], std::sqrt(2.0 / (960 * 9)));  // depthwise
  expect_normal(v2["features.18.0.weight"], std::sqrt(2.0 / 1280));
  expect_normal(v2["classifier.1.weight"], 0.01);
  expect_all(v2["classifier.1.bias"], 0);
  const auto v3 = start_of("mobilenet-v3-large");
  expect_normal(v3["features.15.block.2.fc1.weight"], std::sqrt(2.0 / 240));
  expect_all(v3["features.15.block.2.fc2.bias"], 0);
  expect_normal(v3["classifier.0.weight"], 0.01);
  expect_normal(v3["classifier.3.weight"], 0.01);
}

TEST(TorchvisionModels, EfficientnetStartsAsTorchvisions) {
  const auto start = start_of("efficientnet-b0");
  expect_normal(start["features.8.0.weight"], std::sqrt(2.0 / 1280));
  const auto& head = start["classifier.1.weight"];
  EXPECT_NEAR(head.abs().max().item<double>(), 1 / std::sqrt(1000), 1e-6);
  EXPECT_NEAR(head.std().item<double>(), 1 / std::sqrt(3000), 1e-4);
  expect_all(start["classifier.1.bias"], 0);
}

TEST(TorchvisionModels, DensenetStartsAsTorchvisions) {
  const auto start = start_of("densenet121");
  expect_normal(start["features.denseblock4.denselayer16.conv1.weight"], std::sqrt(2.0 / 992));
  const auto& head = start["classifier.weight"];  // PyTorch's own
  EXPECT_NEAR(head.abs().max().item<double>(), 1 / std::sqrt(1024), 1e-6);
  expect_all(start["classifier.bias"], 0);
}

TEST(TorchvisionModels, EnlargeSmallImages) {
  const auto input = [](std::string_view name, const ImageShape& image) {
    return make_model(name, {image, 10}, 1).input;
  };
  EXPECT_EQ(input("vgg11:hidden=8", {1, 28, 28}), (ImageShape{1, 32, 32}));
  EXPECT_EQ(input("mobilenet-v2", {3, 32, 32}), (ImageShape{3, 64, 64}));
  EXPECT_EQ(input("densenet121", {3, 64, 96}), (ImageShape{3, 64, 96}));
}

TEST(InputSize, IsEnlargedByOneFactor) {
  EXPECT_EQ(at_least({3, 9, 11}, 64), (ImageShape{3, 64, 79}));  // 78.2
  EXPECT_EQ(at_least({3, 300, 32}, 64), (ImageShape{3, 600, 64}));
  EXPECT_EQ(at_least({1, 64, 300}, 64), (ImageShape{1, 64, 300}));
}

TEST(StochasticDepth, LeavesOutWholeImagesInTrainingOnly) {
  torch::manual_seed(1);
  const auto x = torch::rand({4000, 3, 2, 2}) + 0.5;
  EXPECT_TRUE(torch::equal(stochastic_depth(x, 0.25, false), x));
  EXPECT_TRUE(torch::equal(stochastic_depth(x, 0, true), x));
  const auto ratio = (stochastic_depth(x, 0.25, true) / x).flatten(1);
  const auto kept = ratio.gt(0);
  EXPECT_TRUE(torch::equal(kept.all(1), kept.any(1)));
  EXPECT_TRUE(torch::allclose(ratio.masked_select(kept), torch::tensor(4 / 3.0F)));
  // Five deviations of the mean of 4000 draws.
  EXPECT_NEAR(kept.to(torch::kFloat32).mean().item<double>(), 0.75, 5 * std::sqrt(0.1875 / 4000));
}

TEST(StochasticDepth, IsWhatEfficientnetHasInTraining) {
  const ModelInput input{{3, 64, 64}, 10};
  const auto spread = [&](const std::string& options) {
    const Model model = make_model("efficientnet-b0:dropout=0" + options, input, 1);
    torch::manual_seed(2);
    const auto images = torch::randn({4, 3, 64, 64});
    return (model.forward(images) - model.forward(images)).abs().max().item<double>();
  };
  EXPECT_EQ(spread(",stochastic_depth=0"), 0);
  EXPECT_GT(spread(",stochastic_depth=0.5"), 0);
}

}  // namespace
}  // namespace yoke
