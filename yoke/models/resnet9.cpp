// yoke/models/resnet9.cpp: the nine-layer residual network for fast training on 32x32 images (Page
// 2019, "How to train your ResNet"), with an average where that has a maximum over the last pixels.
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include "yoke/models/input_size.h"
#include "yoke/models/model.h"

namespace yoke {
namespace {

/// A 3x3 convolution, batch norm and ReLU.
struct ConvBnImpl final : torch::nn::Module {
  ConvBnImpl(std::int64_t in, std::int64_t out)
      : conv_(register_module(
            "conv",
            torch::nn::Conv2d(torch::nn::Conv2dOptions(in, out, 3).padding(1).bias(false)))),
        bn_(register_module("bn", torch::nn::BatchNorm2d(out))) {}

  torch::Tensor forward(const torch::Tensor& x) {
    return torch::relu(bn_->forward(conv_->forward(x)));
  }

 private:
  torch::nn::Conv2d conv_;
  torch::nn::BatchNorm2d bn_;
};
TORCH_MODULE(ConvBn);

/// A ConvBn and a pool; where `residual`, two more with a shortcut around them.
struct StageImpl final : torch::nn::Module {
  StageImpl(std::int64_t in, std::int64_t out, bool residual)
      : first_(register_module("first", ConvBn(in, out))) {
    if (!residual) return;
    second_ = register_module("second", ConvBn(out, out));
    third_ = register_module("third", ConvBn(out, out));
  }

  torch::Tensor forward(const torch::Tensor& input) {
    const auto x = torch::max_pool2d(first_->forward(input), 2);
    return second_.is_empty() ? x : x + third_->forward(second_->forward(x));
  }

 private:
  ConvBn first_, second_{nullptr}, third_{nullptr};
};
TORCH_MODULE(Stage);

struct Resnet9Impl final : torch::nn::Module {
  Resnet9Impl(const ModelInput& input, std::int64_t width)
      : prep_(register_module("prep", ConvBn(input.image.channels, width))),
        layer1_(register_module("layer1", Stage(width, 2 * width, true))),
        layer2_(register_module("layer2", Stage(2 * width, 4 * width, false))),
        layer3_(register_module("layer3", Stage(4 * width, 8 * width, true))),
        fc_(register_module("fc", torch::nn::Linear(8 * width, input.classes))) {}

  torch::Tensor forward(torch::Tensor x) {      // [N, C, H, W]
    x = layer1_->forward(prep_->forward(x));    // [N, 2 * width, H/2, W/2]
    x = layer3_->forward(layer2_->forward(x));  // [N, 8 * width, H/8, W/8]
    return fc_->forward(torch::adaptive_avg_pool2d(x, {1, 1}).flatten(1));
  }

 private:
  ConvBn prep_;
  Stage layer1_, layer2_, layer3_;
  torch::nn::Linear fc_;
};
TORCH_MODULE(Resnet9);

struct Resnet9Options {
  std::int64_t width = 64;
};

}  // namespace

ModelPlugin resnet9_model() {
  const OptionTable<Resnet9Options> options = {
      {"width", &Resnet9Options::width, in(1, 512), "channels of the first convolution"}};
  return {options, [](const ModelInput& input, const Resnet9Options& chosen) {
            // Batch norm wants two pixels after the last pool, so that a batch of one can be
            // trained on.
            require_size("resnet9", input.image, 16);
            return wrap_module(Resnet9(input, chosen.width), input.image);
          }};
}

}  // namespace yoke
