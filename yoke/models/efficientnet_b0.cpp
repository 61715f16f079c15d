// yoke/models/efficientnet_b0.cpp: EfficientNet-B0 (Tan and Le 2019, table 1) with torchvision's
// names and initialisation.
#include <torch/nn/init.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>

#include <cmath>

#include "yoke/models/input_size.h"
#include "yoke/models/inverted_residual.h"

namespace yoke {
namespace {

struct EfficientStage {
  std::int64_t widening, kernel, stride, channels, count;
};

constexpr EfficientStage kEfficientStages[] = {
    {1, 3, 1, 16, 1},  {6, 3, 2, 24, 2},  {6, 5, 2, 40, 2}, {6, 3, 2, 80, 3},
    {6, 5, 1, 112, 3}, {6, 5, 2, 192, 4}, {6, 3, 1, 320, 1}};
constexpr int kEfficientBlocks = 16;  // of all stages
constexpr std::int64_t kEfficientChannels = 1280;

struct EfficientNetOptions {
  double dropout = 0.2;
  double stochastic_depth = 0.2;
};

Chain make_efficient_features(std::int64_t channels, double stochastic_depth) {
  std::int64_t in = 32;
  Chain features;
  features->push_back(make_conv_norm(
      {.in = channels, .out = in, .kernel = 3, .stride = 2, .activation = torch::silu}));
  int number = 0;
  for (const auto& stage : kEfficientStages) {
    Chain blocks;
    for (std::int64_t i = 0; i < stage.count; ++i) {
      blocks->push_back(InvertedResidual(
          InvertedResidualForm{.in = in,
                               .wide = in * stage.widening,
                               .out = stage.channels,
                               .kernel = stage.kernel,
                               .stride = i == 0 ? stage.stride : 1,
                               .activation = torch::silu,
                               .squeezed = in / 4,
                               .squeezed_activation = torch::silu,
                               .drop = stochastic_depth * number / kEfficientBlocks}));
      in = stage.channels;
      ++number;
    }
    features->push_back(blocks);
  }
  features->push_back(
      make_conv_norm({.in = in, .out = kEfficientChannels, .activation = torch::silu}));
  return features;
}

torch::nn::Linear make_efficient_head(std::int64_t classes) {
  torch::nn::Linear linear(kEfficientChannels, classes);
  const double most = 1 / std::sqrt(static_cast<double>(classes));
  torch::nn::init::uniform_(linear->weight, -most, most);
  torch::nn::init::zeros_(linear->bias);
  return linear;
}

OptionTable<EfficientNetOptions> efficientnet_options() {
  using O = EfficientNetOptions;
  return {
      {"dropout", &O::dropout, in(0, 0.99),
       "probability that a channel's mean is dropped before the last layer"},
      {"stochastic_depth", &O::stochastic_depth, in(0, 0.99),
       "probability that an image passes by a block in training (Huang et al. 2016): this times i "
       "/ 16 "
       "for block i, counted from 0"},
  };
}

}  // namespace

ModelPlugin efficientnet_b0_model() {
  return {efficientnet_options(),
          [](const ModelInput& input, const EfficientNetOptions& chosen) {
            const torch::nn::Sequential classifier(torch::nn::Dropout(chosen.dropout),
                                                   make_efficient_head(input.classes));
            return wrap_module(MobileNetwork(make_efficient_features(input.image.channels,
                                                                     chosen.stochastic_depth),
                                             classifier),
                               at_least(input.image, 64));
          },
          ModelTraits{.usual_image = {3, 224, 224}}};
}

}  // namespace yoke
