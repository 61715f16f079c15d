// tests/models/convnext_test.cpp: the convolutional network with torchvision's parameters.
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "yoke/models/model.h"
#include "yoke/models/stochastic_depth.h"

namespace yoke {
namespace {

TEST(ConvnextTiny, HasTorchvisionsParameterCount) {
  const Model model = make_model("convnext-tiny", {{3, 224, 224}, 1000}, 1);
  EXPECT_EQ(count_parameters(*model.module), 28'589'128);
  EXPECT_TRUE(model.module->buffers().empty());
}

TEST(ConvnextTiny, EnlargesSmallImages) {
  const auto input = [](const ImageShape& image) {
    return make_model("convnext-tiny", {image, 10}, 1).input;
  };
  EXPECT_EQ(input({1, 28, 28}), (ImageShape{1, 64, 64}));
  EXPECT_EQ(input({3, 48, 37}), (ImageShape{3, 84, 64}));
  EXPECT_EQ(input({3, 70, 65}), (ImageShape{3, 70, 65}));
}

TEST(ConvnextTiny, StartsAsTorchvisions) {
  const auto weights =
      make_model("convnext-tiny", {{3, 64, 64}, 1000}, 1).module->named_parameters();
  for (const auto* const name :
       {"features.0.0.weight", "features.1.0.block.0.weight", "features.7.2.block.5.weight",
        "features.6.1.weight", "classifier.2.weight"}) {
    const auto& weight = weights[name];
    // Of so many draws the deviation is known to 5 / sqrt(2 n).
    const double known = 5 / std::sqrt(2.0 * static_cast<double>(weight.numel()));
    EXPECT_NEAR(weight.std().item<double>(), 0.02, 0.02 * known) << name;
  }
  const auto expect_all = [&](const std::string& name, double value) {
    EXPECT_TRUE(weights[name].eq(value).all().item<bool>()) << name;
  };
  expect_all("features.0.0.bias", 0);
  expect_all("features.7.2.block.3.bias", 0);
  expect_all("classifier.2.bias", 0);
  expect_all("features.0.1.weight", 1);
  expect_all("features.4.0.bias", 0);
  expect_all("features.1.0.block.2.weight", 1);
  EXPECT_TRUE(torch::allclose(weights["features.7.2.layer_scale"], torch::full({768, 1, 1}, 1e-6),
                              1e-5, 0));
}

TEST(ConvnextTiny, LeavesBlocksOutInTrainingOnly) {
  const Model model = make_model("convnext-tiny", {{3, 64, 64}, 10}, 1);
  const torch::NoGradGuard no_grad;
  for (auto& item : model.module->named_parameters()) {
    if (item.key().ends_with("layer_scale")) item.value().fill_(1);
  }
  // The same image over and over, whose scores differ where blocks are left out. That all 16 keep
  // all blocks has a probability of 6e-7.
  const auto images = torch::randn({1, 3, 64, 64}).expand({16, -1, -1, -1}).contiguous();
  const auto differences = [&] {
    const auto scores = model.forward(images);
    return (scores - scores[0]).abs().max().item<double>();
  };
  EXPECT_GT(differences(), 1e-3);
  model.module->eval();
  EXPECT_LT(differences(), 1e-4);
}

TEST(StochasticDepth, DropsWholeImagesAndScalesTheOthers) {
  torch::manual_seed(1);
  const auto x = torch::rand({2000, 3, 2, 2}) + 1;
  const auto y = stochastic_depth(x, 0.25, true);
  const auto ratios = (y / x).flatten(1);
  EXPECT_TRUE(torch::allclose(ratios, ratios.slice(1, 0, 1).expand_as(ratios)));
  const auto kept = ratios.select(1, 0).gt(0);
  EXPECT_TRUE(torch::allclose(ratios.select(1, 0), kept.to(torch::kFloat32) / 0.75));
  EXPECT_NEAR(kept.to(torch::kFloat32).mean().item<double>(), 0.75, 0.05);  // five deviations
  EXPECT_TRUE(torch::equal(stochastic_depth(x, 0.25, false), x));
  EXPECT_TRUE(torch::equal(stochastic_depth(x, 0, true), x));
}

}  // namespace
}  // namespace yoke
