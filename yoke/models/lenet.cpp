// yoke/models/lenet.cpp: LeNet-5 (LeCun et al. 1998, figure 2) as it is written today: max pooling,
// all channels of the second convolution connected, plain scores at the end.
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include "yoke/models/activation.h"
#include "yoke/models/model.h"

namespace yoke {
namespace {

struct LeNetImpl final : torch::nn::Module {
  LeNetImpl(const ModelInput& input, Activation activation) : activation_(activation) {
    using torch::nn::Conv2d, torch::nn::Conv2dOptions, torch::nn::Linear;
    conv1_ = register_module("conv1", Conv2d(Conv2dOptions(input.image.channels, 6, 5)));
    conv2_ = register_module("conv2", Conv2d(Conv2dOptions(6, 16, 5)));
    fc1_ = register_module("fc1", Linear(16 * 5 * 5, 120));
    fc2_ = register_module("fc2", Linear(120, 84));
    fc3_ = register_module("fc3", Linear(84, input.classes));
  }

  torch::Tensor forward(torch::Tensor x) {                      // [N, C, 32, 32]
    x = torch::max_pool2d(activation_(conv1_->forward(x)), 2);  // [N, 6, 14, 14]
    x = torch::max_pool2d(activation_(conv2_->forward(x)), 2);  // [N, 16, 5, 5]
    x = activation_(fc1_->forward(x.flatten(1)));
    x = activation_(fc2_->forward(x));
    return fc3_->forward(x);
  }

 private:
  Activation activation_;
  torch::nn::Conv2d conv1_{nullptr}, conv2_{nullptr};
  torch::nn::Linear fc1_{nullptr}, fc2_{nullptr}, fc3_{nullptr};
};
TORCH_MODULE(LeNet);

struct LeNetOptions {
  Activation activation = &torch::relu;
};

}  // namespace

ModelPlugin lenet_model() {
  const OptionTable<LeNetOptions> options = {{"activation",
                                              &LeNetOptions::activation,
                                              {{"relu", &torch::relu}, {"tanh", &torch::tanh}},
                                              "after each layer but the last"}};
  return {options,
          [](const ModelInput& input, const LeNetOptions& chosen) {
            return wrap_module(LeNet(input, chosen.activation), {input.image.channels, 32, 32});
          },
          ModelTraits{.usual_image = {1, 32, 32}}};
}

}  // namespace yoke
