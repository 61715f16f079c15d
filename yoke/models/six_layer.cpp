// yoke/models/six_layer.cpp: three padded 3x3 convolutions and three fully connected layers.
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include "yoke/models/input_size.h"
#include "yoke/models/model.h"

namespace yoke {
namespace {

struct SixLayerImpl final : torch::nn::Module {
  explicit SixLayerImpl(const ModelInput& input) {
    using torch::nn::Conv2d, torch::nn::Conv2dOptions, torch::nn::Linear;
    const auto& image = input.image;
    conv1_ = register_module("conv1", Conv2d(Conv2dOptions(image.channels, 32, 3).padding(1)));
    conv2_ = register_module("conv2", Conv2d(Conv2dOptions(32, 64, 3).padding(1)));
    conv3_ = register_module("conv3", Conv2d(Conv2dOptions(64, 128, 3).padding(1)));
    // Three poolings, each of which halves and rounds down.
    fc1_ = register_module("fc1", Linear(128 * (image.height / 8) * (image.width / 8), 256));
    fc2_ = register_module("fc2", Linear(256, 128));
    fc3_ = register_module("fc3", Linear(128, input.classes));
  }

  torch::Tensor forward(torch::Tensor x) {                      // [N, C, H, W]
    x = torch::max_pool2d(torch::relu(conv1_->forward(x)), 2);  // [N, 32, H/2, W/2]
    x = torch::max_pool2d(torch::relu(conv2_->forward(x)), 2);  // [N, 64, H/4, W/4]
    x = torch::max_pool2d(torch::relu(conv3_->forward(x)), 2);  // [N, 128, H/8, W/8]
    x = torch::relu(fc1_->forward(x.flatten(1)));
    x = torch::relu(fc2_->forward(x));
    return fc3_->forward(x);
  }

 private:
  torch::nn::Conv2d conv1_{nullptr}, conv2_{nullptr}, conv3_{nullptr};
  torch::nn::Linear fc1_{nullptr}, fc2_{nullptr}, fc3_{nullptr};
};
TORCH_MODULE(SixLayer);

}  // namespace

ModelPlugin six_layer_model() {
  return {no_options(), [](const ModelInput& input, const NoOptions&) {
            require_size("six-layer", input.image, 8);
            return wrap_module(SixLayer(input), input.image);
          }};
}

}  // namespace yoke
