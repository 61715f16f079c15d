// tests/models/vit_test.cpp: the vision transformer with torchvision's parameters.
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "yoke/core/error.h"
#include "yoke/models/model.h"

namespace yoke {
namespace {

std::int64_t parameters_of(const std::string& text, const ModelInput& input) {
  return count_parameters(*make_model(text, input, 1).module);
}

TEST(VitSmall, HasTorchvisionsParameterCount) {
  // As VisionTransformer(224, 16, num_layers=12, num_heads=6, hidden_dim=384, mlp_dim=1536).
  EXPECT_EQ(parameters_of("vit-small", {{3, 224, 224}, 1000}), 22'050'664);
  // 16 tokens in place of 196, and 10 classes.
  EXPECT_EQ(parameters_of("vit-small", {{3, 64, 64}, 10}),
            22'050'664 - 180 * 384 - 990 * (384 + 1));
  // Four times the tokens, whose patches have a fourth of the pixels.
  EXPECT_EQ(parameters_of("vit-small:patch=8", {{3, 64, 64}, 10}),
            parameters_of("vit-small", {{3, 64, 64}, 10}) + 48 * 384 - 3 * 192 * 384);
}

TEST(VitSmall, TakesMultiplesOfItsPatch) {
  const auto input = [](const std::string& text, const ImageShape& image) {
    return make_model(text, {image, 10}, 1).input;
  };
  EXPECT_EQ(input("vit-small", {1, 28, 28}), (ImageShape{1, 64, 64}));
  EXPECT_EQ(input("vit-small", {3, 100, 224}), (ImageShape{3, 112, 224}));
  EXPECT_EQ(input("vit-small:patch=14", {3, 32, 32}), (ImageShape{3, 70, 70}));
  EXPECT_EQ(input("vit-small:patch=8", {3, 50, 40}), (ImageShape{3, 80, 64}));
  EXPECT_THROW(input("vit-small:patch=3", {3, 50, 40}), UsageError);
}

TEST(VitSmall, ScoresImagesThatAreNotSquare) {
  const Model model = make_model("vit-small:patch=32", {{2, 64, 96}, 10}, 1);
  EXPECT_EQ(model.forward(torch::randn({3, 2, 64, 96})).sizes(),
            (std::vector<std::int64_t>{3, 10}));
}

TEST(VitSmall, StartsAsTorchvisions) {
  const auto weights = make_model("vit-small", {{3, 224, 224}, 1000}, 1).module->named_parameters();
  const auto expect_deviation = [&](const std::string& name, double deviation) {
    const auto& weight = weights[name];
    // Of so many draws the deviation is known to 5 / sqrt(2 n).
    const double known = 5 / std::sqrt(2.0 * static_cast<double>(weight.numel()));
    EXPECT_NEAR(weight.std().item<double>(), deviation, deviation * known) << name;
  };
  expect_deviation("conv_proj.weight", std::sqrt(1.0 / 768));
  expect_deviation("encoder.pos_embedding", 0.02);
  expect_deviation("heads.head.weight", 0.02);
  const std::string layer = "encoder.layers.encoder_layer_11.";
  // Xavier: variance 2 / (inputs + outputs). Kaiming as of linear layers: 1 / (3 inputs).
  expect_deviation(layer + "self_attention.in_proj_weight", std::sqrt(2.0 / (384 + 1152)));
  expect_deviation(layer + "self_attention.out_proj.weight", std::sqrt(1.0 / (3 * 384)));
  expect_deviation(layer + "mlp.0.weight", std::sqrt(2.0 / (384 + 1536)));
  expect_deviation(layer + "mlp.3.bias", 1e-6);
  for (const auto& name : {layer + "self_attention.in_proj_bias", std::string("class_token"),
                           layer + "self_attention.out_proj.bias", std::string("heads.head.bias"),
                           std::string("conv_proj.bias"), layer + "ln_1.bias"}) {
    EXPECT_TRUE(weights[name].eq(0).all().item<bool>()) << name;
  }
  EXPECT_TRUE(weights["encoder.ln.weight"].eq(1).all().item<bool>());
}

}  // namespace
}  // namespace yoke
