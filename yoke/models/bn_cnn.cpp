// yoke/models/bn_cnn.cpp: three 3x3 convolutions with batch norm and one fully connected layer;
// it learns in few epochs.
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include <array>

#include "yoke/models/input_size.h"
#include "yoke/models/model.h"

namespace yoke {
namespace {

struct BnCnnImpl final : torch::nn::Module {
  BnCnnImpl(const ModelInput& input, std::int64_t width) {
    std::int64_t in = input.image.channels, out = width;
    for (std::size_t i = 0; i < convolutions_.size(); ++i) {
      const auto number = i + 1;
      const auto options = torch::nn::Conv2dOptions(in, out, 3).padding(1).bias(false);
      convolutions_[i] = register_module(fmt::format("conv{}", number), torch::nn::Conv2d(options));
      norms_[i] = register_module(fmt::format("bn{}", number), torch::nn::BatchNorm2d(out));
      in = out;
      out *= 2;
    }
    // Three poolings, each of which halves and rounds down.
    const auto pixels = (input.image.height / 8) * (input.image.width / 8);
    fc_ = register_module("fc", torch::nn::Linear(in * pixels, input.classes));
  }

  torch::Tensor forward(torch::Tensor x) {  // [N, C, H, W] to [N, 4 * width, H/8, W/8]
    for (std::size_t i = 0; i < convolutions_.size(); ++i) {
      // Pooled first, as norm and ReLU then have a quarter of the work.
      x = torch::max_pool2d(convolutions_[i]->forward(x), 2);
      x = torch::relu(norms_[i]->forward(x));
    }
    return fc_->forward(x.flatten(1));
  }

 private:
  std::array<torch::nn::Conv2d, 3> convolutions_{nullptr, nullptr, nullptr};
  std::array<torch::nn::BatchNorm2d, 3> norms_{nullptr, nullptr, nullptr};
  torch::nn::Linear fc_{nullptr};
};
TORCH_MODULE(BnCnn);

struct BnCnnOptions {
  std::int64_t width = 16;
};

}  // namespace

ModelPlugin bn_cnn_model() {
  const OptionTable<BnCnnOptions> options = {
      {"width", &BnCnnOptions::width, in(1, 512), "channels of the first convolution"}};
  return {options, [](const ModelInput& input, const BnCnnOptions& chosen) {
            // Batch norm wants two pixels after the last pool, so that a batch of one can be
            // trained on.
            require_size("bn-cnn", input.image, 16);
            return wrap_module(BnCnn(input, chosen.width), input.image);
          }};
}

}  // namespace yoke
