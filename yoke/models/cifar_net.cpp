// yoke/models/cifar_net.cpp: two 5x5 convolutions and three fully connected layers for CIFAR-10.
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include "yoke/models/model.h"

namespace yoke {
namespace {

struct CifarNetImpl final : torch::nn::Module {
  explicit CifarNetImpl(const ModelInput& input) {
    using torch::nn::Conv2d, torch::nn::Conv2dOptions, torch::nn::Linear;
    conv1_ = register_module("conv1", Conv2d(Conv2dOptions(input.image.channels, 64, 5)));
    conv2_ = register_module("conv2", Conv2d(Conv2dOptions(64, 16, 5)));
    fc1_ = register_module("fc1", Linear(16 * 5 * 5, 120));
    fc2_ = register_module("fc2", Linear(120, 84));
    fc3_ = register_module("fc3", Linear(84, input.classes));
  }

  torch::Tensor forward(torch::Tensor x) {                      // [N, C, 32, 32]
    x = torch::max_pool2d(torch::relu(conv1_->forward(x)), 2);  // [N, 64, 14, 14]
    x = torch::max_pool2d(torch::relu(conv2_->forward(x)), 2);  // [N, 16, 5, 5]
    x = torch::relu(fc1_->forward(x.flatten(1)));
    x = torch::relu(fc2_->forward(x));
    return fc3_->forward(x);
  }

 private:
  torch::nn::Conv2d conv1_{nullptr}, conv2_{nullptr};
  torch::nn::Linear fc1_{nullptr}, fc2_{nullptr}, fc3_{nullptr};
};
TORCH_MODULE(CifarNet);

}  // namespace

ModelPlugin cifar_net_model() {
  return {no_options(), [](const ModelInput& input, const NoOptions&) {
            return wrap_module(CifarNet(input), {input.image.channels, 32, 32});
          }};
}

}  // namespace yoke
