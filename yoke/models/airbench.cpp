// yoke/models/airbench.cpp: the network of Jordan 2024, "94% on CIFAR-10 in 3.29 Seconds on a
// Single GPU", section 3, for few epochs on 32x32 images. In place of the data's own eigenvectors
// it begins with a basis in which photos hardly correlate, and batch norm sets the scales.
#include <torch/nn/init.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include "yoke/models/input_size.h"
#include "yoke/models/model.h"

namespace yoke {
namespace {

torch::Tensor activate(const torch::Tensor& x) { return torch::gelu(x, "tanh"); }

/// A 3x3 convolution whose first channels begin as its input.
torch::nn::Conv2d make_passing_conv(std::int64_t in, std::int64_t out) {
  torch::nn::Conv2d conv(torch::nn::Conv2dOptions(in, out, 3).padding(1).bias(false));
  torch::nn::init::dirac_(conv->weight.detach().slice(0, 0, in));
  return conv;
}

/// Two convolutions, each with batch norm and GELU; the first one's pixels are pooled two by two.
struct PoolBlockImpl final : torch::nn::Module {
  PoolBlockImpl(std::int64_t in, std::int64_t out)
      : conv1_(register_module("conv1", make_passing_conv(in, out))),
        bn1_(register_module("bn1", torch::nn::BatchNorm2d(out))),
        conv2_(register_module("conv2", make_passing_conv(out, out))),
        bn2_(register_module("bn2", torch::nn::BatchNorm2d(out))) {}

  torch::Tensor forward(torch::Tensor x) {
    x = activate(bn1_->forward(torch::max_pool2d(conv1_->forward(x), 2)));
    return activate(bn2_->forward(conv2_->forward(x)));
  }

 private:
  torch::nn::Conv2d conv1_;
  torch::nn::BatchNorm2d bn1_;
  torch::nn::Conv2d conv2_;
  torch::nn::BatchNorm2d bn2_;
};
TORCH_MODULE(PoolBlock);

/// The Haar basis of 2x2 pixels of each colour in an orthonormal basis (of three colours: grey and
/// two that oppose), and the negatives of all, [8 * channels, channels, 2, 2].
torch::Tensor patch_basis(std::int64_t channels) {
  const auto haar = torch::tensor({{1.F, 1.F, 1.F, 1.F},
                                   {1.F, -1.F, 1.F, -1.F},
                                   {1.F, 1.F, -1.F, -1.F},
                                   {1.F, -1.F, -1.F, 1.F}}) /
                    2;
  auto colours = torch::eye(channels);
  if (channels == 3) {
    colours = torch::tensor({{1.F, 1.F, 1.F}, {1.F, 0.F, -1.F}, {-1.F, 2.F, -1.F}});
    colours = colours / colours.norm(2, {1}, true);
  }
  const auto basis = torch::einsum("ap,bc->abcp", {haar, colours}).reshape({-1, channels, 2, 2});
  return torch::cat({basis, -basis});
}

struct AirbenchImpl final : torch::nn::Module {
  AirbenchImpl(const ModelInput& input, std::int64_t width)
      : AirbenchImpl(input, width, 8 * input.image.channels) {}

  torch::Tensor forward(torch::Tensor x) {                        // [N, C, H, W]
    x = activate(bn_->forward(patches_->forward(x)));             // [N, 8 * C, H-1, W-1]
    x = block3_->forward(block2_->forward(block1_->forward(x)));  // [N, 4 * width, H/8, W/8]
    x = torch::max_pool2d(x, {x.size(2), x.size(3)}).flatten(1);
    return fc_->forward(x * kScoreScale);
  }

 private:
  static constexpr double kScoreScale = 1.0 / 9;

  AirbenchImpl(const ModelInput& input, std::int64_t width, std::int64_t patches)
      : patches_(register_module(
            "patches",
            torch::nn::Conv2d(
                torch::nn::Conv2dOptions(input.image.channels, patches, 2).bias(false)))),
        // JPEGs have hardly any colour in the finest detail: what noise is there stays small.
        bn_(register_module(
            "bn", torch::nn::BatchNorm2d(torch::nn::BatchNorm2dOptions(patches).eps(5e-4)))),
        block1_(register_module("block1", PoolBlock(patches, width))),
        block2_(register_module("block2", PoolBlock(width, 4 * width))),
        block3_(register_module("block3", PoolBlock(4 * width, 4 * width))),
        fc_(register_module("fc", torch::nn::Linear(4 * width, input.classes))) {
    const torch::NoGradGuard no_grad;
    patches_->weight.copy_(patch_basis(input.image.channels));
  }

  torch::nn::Conv2d patches_;
  torch::nn::BatchNorm2d bn_;
  PoolBlock block1_, block2_, block3_;
  torch::nn::Linear fc_;
};
TORCH_MODULE(Airbench);

struct AirbenchOptions {
  std::int64_t width = 64;
};

}  // namespace

ModelPlugin airbench_model() {
  const OptionTable<AirbenchOptions> options = {
      {"width", &AirbenchOptions::width, in(1, 512),
       "channels of the first block; the others have four times as many"}};
  return {options, [](const ModelInput& input, const AirbenchOptions& chosen) {
            // Batch norm wants two pixels after the last pool, so that a batch of one can be
            // trained on.
            require_size("airbench", input.image, 17);
            return wrap_module(Airbench(input, chosen.width), input.image);
          }};
}

}  // namespace yoke
