#include "yoke/models/inverted_residual.h"

#include <torch/nn/init.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/container/functional.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include "yoke/models/stochastic_depth.h"

namespace yoke {
namespace {

using torch::nn::Conv2d;
using torch::nn::Conv2dOptions;

/// Scales each channel by a function of all channels' means.
struct GateImpl final : torch::nn::Module {
  explicit GateImpl(const InvertedResidualForm& form)
      : activation_(form.squeezed_activation),
        gate_(form.gate),
        fc1_(register_module("fc1", Conv2d(Conv2dOptions(form.wide, form.squeezed, 1)))),
        fc2_(register_module("fc2", Conv2d(Conv2dOptions(form.squeezed, form.wide, 1)))) {}

  torch::Tensor forward(const torch::Tensor& x) {
    const auto means = torch::adaptive_avg_pool2d(x, {1, 1});  // [N, wide, 1, 1]
    return gate_(fc2_->forward(activation_(fc1_->forward(means)))) * x;
  }

 private:
  Activation activation_, gate_;
  Conv2d fc1_, fc2_;
};
TORCH_MODULE(Gate);

Chain make_block(const InvertedResidualForm& form) {
  Chain block;
  const auto add = [&](ConvNormForm layer) {
    layer.norm = form.norm;
    block->push_back(make_conv_norm(layer));
  };
  if (form.wide != form.in) {
    add({.in = form.in, .out = form.wide, .activation = form.activation});
  }
  add({.in = form.wide,
       .out = form.wide,
       .kernel = form.kernel,
       .stride = form.stride,
       .groups = form.wide,
       .activation = form.activation});
  if (form.squeezed > 0) block->push_back(Gate(form));
  add({.in = form.wide, .out = form.out});
  return block;
}

}  // namespace

Chain make_conv_norm(const ConvNormForm& form) {
  Chain layer(
      Conv2d(Conv2dOptions(form.in, form.out, form.kernel)
                 .stride(form.stride)
                 .padding(form.kernel / 2)
                 .groups(form.groups)
                 .bias(false)),
      torch::nn::BatchNorm2d(
          torch::nn::BatchNorm2dOptions(form.out).eps(form.norm.eps).momentum(form.norm.momentum)));
  if (form.activation != nullptr) layer->push_back(torch::nn::Functional(form.activation));
  return layer;
}

InvertedResidualImpl::InvertedResidualImpl(const InvertedResidualForm& form)
    : shortcut_(form.stride == 1 && form.in == form.out),
      drop_(form.drop),
      block_(register_module("block", make_block(form))) {}

torch::Tensor InvertedResidualImpl::forward(const torch::Tensor& x) {
  const auto result = block_->forward(x);
  return shortcut_ ? stochastic_depth(result, drop_, is_training()) + x : result;
}

MobileNetworkImpl::MobileNetworkImpl(Chain features, torch::nn::Sequential classifier)
    : features_(register_module("features", std::move(features))),
      classifier_(register_module("classifier", std::move(classifier))) {
  for (const auto& module : features_->modules(/*include_self=*/false)) {
    if (auto* convolution = module->as<Conv2d>()) {
      torch::nn::init::kaiming_normal_(convolution->weight, 0, torch::kFanOut);
      if (convolution->bias.defined()) torch::nn::init::zeros_(convolution->bias);
    }
  }
}

torch::Tensor MobileNetworkImpl::forward(const torch::Tensor& x) {
  const auto means = torch::adaptive_avg_pool2d(features_->forward(x), {1, 1});
  return classifier_->forward(means.flatten(1));
}

torch::nn::Linear make_normal_linear(std::int64_t in, std::int64_t out) {
  torch::nn::Linear linear(in, out);
  torch::nn::init::normal_(linear->weight, 0, 0.01);
  torch::nn::init::zeros_(linear->bias);
  return linear;
}

}  // namespace yoke
