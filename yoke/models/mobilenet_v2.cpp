// yoke/models/mobilenet_v2.cpp: MobileNetV2 (Sandler et al. 2018, table 2) with torchvision's names
// and initialisation.
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>

#include "yoke/models/input_size.h"
#include "yoke/models/inverted_residual.h"

namespace yoke {
namespace {

using torch::nn::Conv2d;
using torch::nn::Conv2dOptions;

/// An inverted residual block whose last convolution and batch norm stand in `conv` themselves.
struct BottleneckImpl final : torch::nn::Module {
  BottleneckImpl(std::int64_t in, std::int64_t out, std::int64_t widening, std::int64_t stride)
      : shortcut_(stride == 1 && in == out), conv_(register_module("conv", Chain())) {
    const std::int64_t wide = widening * in;
    if (widening != 1) {
      conv_->push_back(make_conv_norm({.in = in, .out = wide, .activation = torch::relu6}));
    }
    conv_->push_back(make_conv_norm({.in = wide,
                                     .out = wide,
                                     .kernel = 3,
                                     .stride = stride,
                                     .groups = wide,
                                     .activation = torch::relu6}));
    conv_->push_back(Conv2d(Conv2dOptions(wide, out, 1).bias(false)));
    conv_->push_back(torch::nn::BatchNorm2d(out));
  }

  torch::Tensor forward(const torch::Tensor& x) {
    return shortcut_ ? x + conv_->forward(x) : conv_->forward(x);
  }

 private:
  bool shortcut_;
  Chain conv_;
};
TORCH_MODULE(Bottleneck);

struct Bottlenecks {
  std::int64_t widening, channels, count, stride;
};

constexpr Bottlenecks kBottlenecks[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                                        {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};
constexpr std::int64_t kLastChannels = 1280;

Chain make_mobilenet_v2_features(std::int64_t channels) {
  std::int64_t in = 32;
  Chain features;
  features->push_back(make_conv_norm(
      {.in = channels, .out = in, .kernel = 3, .stride = 2, .activation = torch::relu6}));
  for (const auto& stage : kBottlenecks) {
    for (std::int64_t i = 0; i < stage.count; ++i) {
      features->push_back(
          Bottleneck(in, stage.channels, stage.widening, i == 0 ? stage.stride : 1));
      in = stage.channels;
    }
  }
  features->push_back(make_conv_norm({.in = in, .out = kLastChannels, .activation = torch::relu6}));
  return features;
}

struct MobilenetV2Options {
  double dropout = 0.2;
};

}  // namespace

ModelPlugin mobilenet_v2_model() {
  const OptionTable<MobilenetV2Options> options = {
      {"dropout", &MobilenetV2Options::dropout, in(0, 0.99),
       "probability that a channel's mean is dropped before the last layer"}};
  return {options,
          [](const ModelInput& input, const MobilenetV2Options& chosen) {
            const torch::nn::Sequential classifier(
                torch::nn::Dropout(chosen.dropout),
                make_normal_linear(kLastChannels, input.classes));
            return wrap_module(
                MobileNetwork(make_mobilenet_v2_features(input.image.channels), classifier),
                at_least(input.image, 64));
          },
          ModelTraits{.usual_image = {3, 224, 224}}};
}

}  // namespace yoke
