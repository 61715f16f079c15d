#include "yoke/models/vgg.h"

#include <torch/nn/init.h>
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/pooling.h>

#include "yoke/models/input_size.h"

namespace yoke {
namespace {

using torch::nn::Conv2d;
using torch::nn::Linear;
using torch::nn::ReLU;
using torch::nn::Sequential;

struct VggOptions {
  std::int64_t hidden = 4096;
  double dropout = 0.5;
};

constexpr std::int64_t kPooledSide = 7;  // what the classifier sees of images of any size
constexpr std::array<std::int64_t, 5> kVggChannels = {64, 128, 256, 512, 512};

Sequential make_vgg_features(std::int64_t in, const VggStages& stages) {
  Sequential features;
  for (std::size_t stage = 0; stage < stages.size(); ++stage) {
    const std::int64_t channels = kVggChannels[stage];
    for (std::int64_t i = 0; i < stages[stage]; ++i) {
      features->push_back(Conv2d(torch::nn::Conv2dOptions(in, channels, 3).padding(1)));
      features->push_back(torch::nn::BatchNorm2d(channels));
      features->push_back(ReLU());
      in = channels;
    }
    features->push_back(torch::nn::MaxPool2d(2));
  }
  return features;
}

Sequential make_vgg_classifier(const VggOptions& options, std::int64_t classes) {
  const std::int64_t inputs = kVggChannels.back() * kPooledSide * kPooledSide;
  return Sequential(Linear(inputs, options.hidden), ReLU(), torch::nn::Dropout(options.dropout),
                    Linear(options.hidden, options.hidden), ReLU(),
                    torch::nn::Dropout(options.dropout), Linear(options.hidden, classes));
}

struct VggImpl final : torch::nn::Module {
  VggImpl(const VggStages& stages, const ModelInput& input, const VggOptions& options)
      : features_(register_module("features", make_vgg_features(input.image.channels, stages))),
        classifier_(register_module("classifier", make_vgg_classifier(options, input.classes))) {
    for (const auto& module : modules(/*include_self=*/false)) {
      if (auto* convolution = module->as<Conv2d>()) {
        torch::nn::init::kaiming_normal_(convolution->weight, 0, torch::kFanOut, torch::kReLU);
        torch::nn::init::zeros_(convolution->bias);
      } else if (auto* linear = module->as<Linear>()) {
        torch::nn::init::normal_(linear->weight, 0, 0.01);
        torch::nn::init::zeros_(linear->bias);
      }
    }
  }

  torch::Tensor forward(torch::Tensor x) {  // [N, C, H, W]
    x = features_->forward(x);              // [N, 512, H/32, W/32]
    x = torch::adaptive_avg_pool2d(x, {kPooledSide, kPooledSide});
    return classifier_->forward(x.flatten(1));
  }

 private:
  Sequential features_, classifier_;
};
TORCH_MODULE(Vgg);

OptionTable<VggOptions> vgg_options() {
  using O = VggOptions;
  return {
      {"hidden", &O::hidden, at_least(1), "units of both hidden fully connected layers"},
      {"dropout", &O::dropout, in(0, 0.99), "probability that such a unit is dropped"},
  };
}

}  // namespace

ModelPlugin vgg_plugin(const VggStages& stages) {
  return {vgg_options(),
          [stages](const ModelInput& input, const VggOptions& options) {
            return wrap_module(Vgg(stages, input, options), at_least(input.image, 32));
          },
          ModelTraits{.usual_image = {3, 224, 224}, .small_form = "hidden=64"}};
}

}  // namespace yoke
