// yoke/models/lab_cnn.cpp: two 5x5 convolutions and three fully connected layers;
// log-probabilities.
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include "yoke/models/model.h"

namespace yoke {
namespace {

struct LabCnnImpl final : torch::nn::Module {
  LabCnnImpl(const ModelInput& input, double dropout) : dropout_(dropout) {
    using torch::nn::Conv2d, torch::nn::Conv2dOptions, torch::nn::Linear;
    conv1_ = register_module("conv1", Conv2d(Conv2dOptions(input.image.channels, 16, 5)));
    conv2_ = register_module("conv2", Conv2d(Conv2dOptions(16, 32, 5)));
    fc1_ = register_module("fc1", Linear(32 * 2 * 2, 512));
    fc2_ = register_module("fc2", Linear(512, 256));
    fc3_ = register_module("fc3", Linear(256, input.classes));
  }

  torch::Tensor forward(torch::Tensor x) {                      // [N, C, 32, 32]
    x = torch::relu(torch::max_pool2d(conv1_->forward(x), 2));  // [N, 16, 14, 14]
    x = torch::relu(torch::max_pool2d(conv2_->forward(x), 2));  // [N, 32, 5, 5]
    x = torch::dropout(x, dropout_, is_training());
    x = torch::max_pool2d(x, 2).flatten(1);  // [N, 32 * 2 * 2]
    x = torch::relu(fc1_->forward(x));
    return torch::log_softmax(fc3_->forward(fc2_->forward(x)), 1);
  }

 private:
  double dropout_;
  torch::nn::Conv2d conv1_{nullptr}, conv2_{nullptr};
  torch::nn::Linear fc1_{nullptr}, fc2_{nullptr}, fc3_{nullptr};
};
TORCH_MODULE(LabCnn);

struct LabCnnOptions {
  double dropout = 0.25;
};

}  // namespace

ModelPlugin lab_cnn_model() {
  const OptionTable<LabCnnOptions> options = {{"dropout", &LabCnnOptions::dropout, in(0, 0.99),
                                               "probability that an activation is dropped"}};
  return {options,
          [](const ModelInput& input, const LabCnnOptions& chosen) {
            return wrap_module(LabCnn(input, chosen.dropout), {input.image.channels, 32, 32});
          },
          ModelTraits{.usual_image = {1, 32, 32}}};
}

}  // namespace yoke
