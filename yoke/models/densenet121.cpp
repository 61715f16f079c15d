// yoke/models/densenet121.cpp: the densely connected network of 121 layers (Huang et al. 2017,
// table 1) with torchvision's names and initialisation.
#include <torch/nn/init.h>
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/pooling.h>

#include <array>

#include "yoke/models/chain.h"
#include "yoke/models/input_size.h"
#include "yoke/models/model.h"

namespace yoke {
namespace {

using torch::nn::BatchNorm2d;
using torch::nn::Conv2d;
using torch::nn::Conv2dOptions;

constexpr std::int64_t kGrowth = 32;  // channels that a layer adds
constexpr std::int64_t kBottleneck = 4 * kGrowth;
constexpr std::array<std::int64_t, 4> kDenseLayers = {6, 12, 24, 16};  // of each block
constexpr std::int64_t kStemChannels = 64;
constexpr std::int64_t kDenseChannels = 1024;  // after the last block

/// The input with the channels that a bottleneck and a 3x3 convolution find in it.
struct DenseLayerImpl final : torch::nn::Module {
  DenseLayerImpl(std::int64_t in, double dropout)
      : dropout_(dropout),
        norm1_(register_module("norm1", BatchNorm2d(in))),
        conv1_(register_module("conv1", Conv2d(Conv2dOptions(in, kBottleneck, 1).bias(false)))),
        norm2_(register_module("norm2", BatchNorm2d(kBottleneck))),
        conv2_(register_module(
            "conv2", Conv2d(Conv2dOptions(kBottleneck, kGrowth, 3).padding(1).bias(false)))) {}

  torch::Tensor forward(const torch::Tensor& input) {
    torch::Tensor x = conv1_->forward(torch::relu(norm1_->forward(input)));
    x = conv2_->forward(torch::relu(norm2_->forward(x)));
    if (dropout_ > 0) x = torch::dropout(x, dropout_, is_training());
    return torch::cat({input, x}, 1);
  }

 private:
  double dropout_;
  BatchNorm2d norm1_;
  Conv2d conv1_;
  BatchNorm2d norm2_;
  Conv2d conv2_;
};
TORCH_MODULE(DenseLayer);

Chain make_dense_block(std::int64_t in, std::int64_t layers, double dropout) {
  Chain block;
  for (std::int64_t i = 0; i < layers; ++i) {
    block->push_back(fmt::format("denselayer{}", i + 1), DenseLayer(in + i * kGrowth, dropout));
  }
  return block;
}

/// Half the channels and a quarter of the pixels.
Chain make_transition(std::int64_t in) {
  Chain transition;
  transition->push_back("norm", BatchNorm2d(in));
  transition->push_back("relu", torch::nn::ReLU());
  transition->push_back("conv", Conv2d(Conv2dOptions(in, in / 2, 1).bias(false)));
  transition->push_back("pool", torch::nn::AvgPool2d(2));
  return transition;
}

/// All before the last batch norm.
Chain make_dense_features(std::int64_t in, double dropout) {
  Chain features;
  std::int64_t channels = kStemChannels;
  features->push_back("conv0",
                      Conv2d(Conv2dOptions(in, channels, 7).stride(2).padding(3).bias(false)));
  features->push_back("norm0", BatchNorm2d(channels));
  features->push_back("relu0", torch::nn::ReLU());
  features->push_back("pool0",
                      torch::nn::MaxPool2d(torch::nn::MaxPool2dOptions(3).stride(2).padding(1)));
  for (std::size_t i = 0; i < kDenseLayers.size(); ++i) {
    features->push_back(fmt::format("denseblock{}", i + 1),
                        make_dense_block(channels, kDenseLayers[i], dropout));
    channels += kDenseLayers[i] * kGrowth;
    if (i + 1 == kDenseLayers.size()) break;
    features->push_back(fmt::format("transition{}", i + 1), make_transition(channels));
    channels /= 2;
  }
  features->push_back("norm5", BatchNorm2d(channels));
  return features;
}

struct DensenetImpl final : torch::nn::Module {
  DensenetImpl(const ModelInput& input, double dropout)
      : features_(register_module("features", make_dense_features(input.image.channels, dropout))),
        classifier_(
            register_module("classifier", torch::nn::Linear(kDenseChannels, input.classes))) {
    for (const auto& module : modules(/*include_self=*/false)) {
      if (auto* conv = module->as<Conv2d>()) torch::nn::init::kaiming_normal_(conv->weight);
    }
    torch::nn::init::zeros_(classifier_->bias);
  }

  torch::Tensor forward(torch::Tensor x) {   // [N, C, H, W]
    x = torch::relu(features_->forward(x));  // [N, 1024, H/32, W/32]
    return classifier_->forward(torch::adaptive_avg_pool2d(x, {1, 1}).flatten(1));
  }

 private:
  Chain features_;
  torch::nn::Linear classifier_;
};
TORCH_MODULE(Densenet);

struct DensenetOptions {
  double dropout = 0;
};

}  // namespace

ModelPlugin densenet121_model() {
  const OptionTable<DensenetOptions> options = {
      {"dropout", &DensenetOptions::dropout, in(0, 0.99),
       "probability that an activation that a layer adds is dropped"}};
  return {options,
          [](const ModelInput& input, const DensenetOptions& chosen) {
            return wrap_module(Densenet(input, chosen.dropout), at_least(input.image, 64));
          },
          ModelTraits{.usual_image = {3, 224, 224}}};
}

}  // namespace yoke
