#include "yoke/models/resnet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "yoke/core/error.h"

namespace yoke {
namespace {

const ModelInput kImagenet{{3, 224, 224}, 1000};
const ModelInput kCifar{{3, 32, 32}, 10};

/// The names torchvision 0.14 gives the parameters and buffers of a residual network, sorted.
std::vector<std::string> torchvision_names(const ResnetForm& form) {
  std::vector<std::string> names{"conv1.weight", "fc.weight", "fc.bias"};
  const auto norm = [&names](const std::string& name) {
    for (const char* part :
         {"weight", "bias", "running_mean", "running_var", "num_batches_tracked"}) {
      names.push_back(name + "." + part);
    }
  };
  norm("bn1");
  const bool basic = form.block == ResidualBlock::kBasic;
  for (std::size_t stage = 0; stage < form.blocks.size(); ++stage) {
    for (std::int64_t block = 0; block < form.blocks[stage]; ++block) {
      const auto prefix = fmt::format("layer{}.{}.", stage + 1, block);
      for (int i = 1; i <= (basic ? 2 : 3); ++i) {
        names.push_back(fmt::format("{}conv{}.weight", prefix, i));
        norm(fmt::format("{}bn{}", prefix, i));
      }
      if (block > 0 || (stage == 0 && basic)) continue;
      names.push_back(prefix + "downsample.0.weight");
      norm(prefix + "downsample.1");
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

TEST(Resnet, HasTorchvisionsParameterCounts) {
  EXPECT_EQ(count_parameters(*make_model("resnet18", kImagenet, 1).module), 11'689'512);
  EXPECT_EQ(count_parameters(*make_model("resnet34", kImagenet, 1).module), 21'797'672);
  EXPECT_EQ(count_parameters(*make_model("resnet50", kImagenet, 1).module), 25'557'032);
}

TEST(Resnet, HasTorchvisionsNames) {
  for (const auto& form : {ResnetForm{"resnet18", ResidualBlock::kBasic, {2, 2, 2, 2}},
                           ResnetForm{"resnet34", ResidualBlock::kBasic, {3, 4, 6, 3}},
                           ResnetForm{"resnet50", ResidualBlock::kBottleneck, {3, 4, 6, 3}}}) {
    const Model model = make_model(form.name, kCifar, 1);
    auto names = model.module->named_parameters().keys();
    for (const auto& name : model.module->named_buffers().keys()) names.push_back(name);
    std::sort(names.begin(), names.end());
    EXPECT_EQ(names, torchvision_names(form)) << form.name;
  }
}

TEST(Resnet, StartsAsTorchvisions) {
  const Model model = make_model("resnet18", kImagenet, 1);
  const auto weights = model.module->named_parameters();
  // Kaiming, fan out: variance 2 / (512 * 9). Of 2.4 million draws the deviation is known to 0.05
  // %.
  const auto& weight = weights["layer4.0.conv2.weight"];
  EXPECT_NEAR(weight.std().item<double>(), std::sqrt(2.0 / (512 * 9)), 0.003 * 0.0208);
  EXPECT_NEAR(weight.mean().item<double>(), 0, 5 * 0.0208 / std::sqrt(2.36e6));
  EXPECT_TRUE(weights["layer2.0.bn2.weight"].eq(1).all().item<bool>());
  EXPECT_TRUE(weights["layer2.0.bn2.bias"].eq(0).all().item<bool>());
}

TEST(Resnet, StartsWithBlocksThatDoNothingWhenZeroInit) {
  const auto weights = make_model("resnet18:zero_init=true", kCifar, 1).module->named_parameters();
  EXPECT_TRUE(weights["layer3.1.bn2.weight"].eq(0).all().item<bool>());
  EXPECT_TRUE(weights["layer3.1.bn1.weight"].eq(1).all().item<bool>());
  EXPECT_TRUE(weights["layer3.0.downsample.1.weight"].eq(1).all().item<bool>());
}

TEST(Resnet, ChoosesItsStemByTheImage) {
  const auto kernel = [](std::string_view text, const ModelInput& input) {
    return make_model(text, input, 1).module->named_parameters()["conv1.weight"].size(2);
  };
  EXPECT_EQ(kernel("resnet18", kCifar), 3);
  EXPECT_EQ(kernel("resnet18", {{3, 33, 33}, 10}), 7);
  EXPECT_EQ(kernel("resnet18:stem=cifar", {{3, 64, 64}, 10}), 3);
  EXPECT_THROW(kernel("resnet18:stem=imagenet", kCifar), UsageError);
}

TEST(Resnet, TrainsOnOneImageOfTheSmallestSize) {
  for (const auto& [text, side] : {std::pair{"resnet18", 9}, {"resnet18:stem=imagenet", 33}}) {
    const Model model = make_model(text, {{1, side, side}, 10}, 1);
    EXPECT_NO_THROW(model.forward(torch::randn({1, 1, side, side}))) << text;
  }
}

TEST(Resnet, MovesItsRunningStatisticsInTrainingOnly) {
  const Model model = make_model("resnet18", {{1, 9, 9}, 10}, 1);
  const auto mean = model.module->named_buffers()["bn1.running_mean"];
  const auto images = torch::randn({4, 1, 9, 9});
  model.module->eval();
  model.forward(images);
  EXPECT_TRUE(mean.eq(0).all().item<bool>());
  model.module->train();
  model.forward(images);
  EXPECT_FALSE(mean.eq(0).all().item<bool>());
}

}  // namespace
}  // namespace yoke
