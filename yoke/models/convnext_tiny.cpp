// yoke/models/convnext_tiny.cpp: ConvNeXt-T (Liu et al. 2022, "A ConvNet for the 2020s", section
// 3), with torchvision's layers, names and initialisation.
#include <torch/nn/init.h>
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/container/functional.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>

#include "yoke/models/input_size.h"
#include "yoke/models/model.h"
#include "yoke/models/stochastic_depth.h"

namespace yoke {
namespace {

using torch::nn::Conv2d, torch::nn::Conv2dOptions, torch::nn::Linear, torch::nn::Sequential;

constexpr double kLayerScale = 1e-6;

torch::nn::LayerNormOptions over_channels(std::int64_t channels) {
  return torch::nn::LayerNormOptions({channels}).eps(1e-6);
}

torch::Tensor channels_last(const torch::Tensor& x) { return x.permute({0, 2, 3, 1}); }

torch::Tensor channels_first(const torch::Tensor& x) { return x.permute({0, 3, 1, 2}); }

/// A sequence that may be part of another.
struct ConvnextLayersImpl final : torch::nn::SequentialImpl {
  using SequentialImpl::SequentialImpl;

  torch::Tensor forward(const torch::Tensor& x) { return SequentialImpl::forward(x); }
};
TORCH_MODULE(ConvnextLayers);

/// A layer norm over the channels of each pixel.
struct ChannelNormImpl final : torch::nn::LayerNormImpl {
  explicit ChannelNormImpl(std::int64_t channels) : LayerNormImpl(over_channels(channels)) {}

  torch::Tensor forward(const torch::Tensor& x) {  // [N, C, H, W]
    return channels_first(LayerNormImpl::forward(channels_last(x)));
  }
};
TORCH_MODULE(ChannelNorm);

/// A 7x7 convolution of each channel, then two layers of each pixel, scaled and added to the input.
struct ConvnextBlockImpl final : torch::nn::Module {
  ConvnextBlockImpl(std::int64_t channels, double dropped)
      : dropped_(dropped),
        layer_scale_(register_parameter("layer_scale", torch::full({channels, 1, 1}, kLayerScale))),
        block_(register_module(
            "block",
            Sequential(Conv2d(Conv2dOptions(channels, channels, 7).padding(3).groups(channels)),
                       torch::nn::Functional(channels_last),
                       torch::nn::LayerNorm(over_channels(channels)),
                       Linear(channels, 4 * channels), torch::nn::GELU(),
                       Linear(4 * channels, channels), torch::nn::Functional(channels_first)))) {}

  torch::Tensor forward(const torch::Tensor& x) {  // [N, C, H, W]
    return x + stochastic_depth(block_->forward(x) * layer_scale_, dropped_, is_training());
  }

 private:
  double dropped_;
  torch::Tensor layer_scale_;
  Sequential block_;
};
TORCH_MODULE(ConvnextBlock);

struct ConvnextStage {
  std::int64_t channels, blocks;
};
constexpr ConvnextStage kConvnextStages[] = {{96, 3}, {192, 3}, {384, 9}, {768, 3}};
constexpr std::int64_t kConvnextBlocks = 18;

Sequential make_convnext_features(std::int64_t channels, double stochastic_depth) {
  constexpr std::int64_t kFirst = kConvnextStages[0].channels;
  Sequential features(
      ConvnextLayers(Conv2d(Conv2dOptions(channels, kFirst, 4).stride(4)), ChannelNorm(kFirst)));
  std::int64_t in = kFirst, number = 0;
  for (const auto& [width, count] : kConvnextStages) {
    if (in != width) {
      features->push_back(
          ConvnextLayers(ChannelNorm(in), Conv2d(Conv2dOptions(in, width, 2).stride(2))));
    }
    ConvnextLayers stage;
    for (std::int64_t i = 0; i < count; ++i, ++number) {
      const double depth = static_cast<double>(number) / (kConvnextBlocks - 1);
      stage->push_back(ConvnextBlock(width, stochastic_depth * depth));
    }
    features->push_back(stage);
    in = width;
  }
  return features;
}

struct ConvnextImpl final : torch::nn::Module {
  ConvnextImpl(const ModelInput& input, double stochastic_depth)
      : features_(register_module("features",
                                  make_convnext_features(input.image.channels, stochastic_depth))) {
    constexpr std::int64_t kLast = std::end(kConvnextStages)[-1].channels;
    classifier_ = register_module("classifier", Sequential(ChannelNorm(kLast), torch::nn::Flatten(),
                                                           Linear(kLast, input.classes)));
    // Torchvision cuts the normal distribution off at 2, which is a hundred deviations away.
    for (const auto& parameter : named_parameters()) {
      const bool is_bias = parameter.key().ends_with("bias");
      if (is_bias) torch::nn::init::zeros_(parameter.value());
      if (!is_bias && is_matrix(parameter.value())) {
        torch::nn::init::normal_(parameter.value(), 0, 0.02);
      }
    }
  }

  torch::Tensor forward(const torch::Tensor& x) {  // [N, C, H, W]
    return classifier_->forward(torch::adaptive_avg_pool2d(features_->forward(x), {1, 1}));
  }

 private:
  /// Of a convolution or linear layer, where scales have one channel or pixel.
  static bool is_matrix(const torch::Tensor& weight) { return weight.dim() % 2 == 0; }

  Sequential features_, classifier_{nullptr};
};
TORCH_MODULE(Convnext);

struct ConvnextOptions {
  double stochastic_depth = 0.1;
};

}  // namespace

ModelPlugin convnext_tiny_model() {
  const OptionTable<ConvnextOptions> options = {
      {"stochastic_depth", &ConvnextOptions::stochastic_depth, in(0, 0.99),
       "probability that an image passes by the last block in training (Huang et al. 2016); it "
       "grows from 0 in equal steps"}};
  return {options,
          [](const ModelInput& input, const ConvnextOptions& chosen) {
            return wrap_module(Convnext(input, chosen.stochastic_depth), at_least(input.image, 64));
          },
          ModelTraits{.usual_image = {3, 224, 224}}};
}

}  // namespace yoke
