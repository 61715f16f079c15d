#include "yoke/models/resnet.h"

#include <torch/nn/init.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include <algorithm>

#include "yoke/models/input_size.h"

namespace yoke {
namespace {

using torch::nn::BatchNorm2d;
using torch::nn::Conv2d;
using torch::nn::Sequential;

/// A convolution padded so that its stride alone decides the size of its output.
struct Layer {
  std::int64_t kernel, channels, stride;
};

Conv2d make_convolution(std::int64_t in, const Layer& layer) {
  return Conv2d(torch::nn::Conv2dOptions(in, layer.channels, layer.kernel)
                    .stride(layer.stride)
                    .padding(layer.kernel / 2)
                    .bias(false));
}

/// Convolutions with batch norm, added to a shortcut from input to output.
struct BlockImpl final : torch::nn::Module {
  BlockImpl(std::int64_t in, const std::vector<Layer>& layers, std::int64_t stride) {
    std::int64_t channels = in;
    for (const auto& layer : layers) {
      const auto number = convolutions_.size() + 1;
      convolutions_.emplace_back(
          register_module(fmt::format("conv{}", number), make_convolution(channels, layer)));
      norms_.emplace_back(
          register_module(fmt::format("bn{}", number), BatchNorm2d(layer.channels)));
      channels = layer.channels;
    }
    if (stride != 1 || channels != in) {
      downsample_ = register_module(
          "downsample",
          Sequential(make_convolution(in, {1, channels, stride}), BatchNorm2d(channels)));
    }
  }

  torch::Tensor forward(const torch::Tensor& input) {
    torch::Tensor x = input;
    for (std::size_t i = 0; i < convolutions_.size(); ++i) {
      if (i > 0) x = torch::relu(x);
      x = norms_[i]->forward(convolutions_[i]->forward(x));
    }
    return torch::relu(x + (downsample_.is_empty() ? input : downsample_->forward(input)));
  }

  void start_as_identity() { torch::nn::init::zeros_(norms_.back()->weight); }

 private:
  std::vector<Conv2d> convolutions_;
  std::vector<BatchNorm2d> norms_;
  Sequential downsample_{nullptr};
};
TORCH_MODULE(Block);

Sequential make_stage(ResidualBlock block, std::int64_t in, std::int64_t width, std::int64_t count,
                      std::int64_t stride) {
  Sequential stage;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto layers =
        block == ResidualBlock::kBasic
            ? std::vector<Layer>{{3, width, stride}, {3, width, 1}}
            : std::vector<Layer>{{1, width, 1}, {3, width, stride}, {1, 4 * width, 1}};
    stage->push_back(Block(in, layers, stride));
    in = layers.back().channels;
    stride = 1;
  }
  return stage;
}

struct ResnetImpl final : torch::nn::Module {
  ResnetImpl(const ResnetForm& form, const ModelInput& input, bool large) : large_(large) {
    const Layer stem = large ? Layer{7, 64, 2} : Layer{3, 64, 1};
    conv1_ = register_module("conv1", make_convolution(input.image.channels, stem));
    bn1_ = register_module("bn1", BatchNorm2d(64));
    const std::int64_t expansion = form.block == ResidualBlock::kBasic ? 1 : 4;
    std::int64_t in = 64, width = 64;
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      stages_[i] =
          register_module(fmt::format("layer{}", i + 1),
                          make_stage(form.block, in, width, form.blocks[i], i == 0 ? 1 : 2));
      in = width * expansion;
      width *= 2;
    }
    fc_ = register_module("fc", torch::nn::Linear(in, input.classes));
    for (const auto& module : modules(/*include_self=*/false)) {
      if (auto* convolution = module->as<Conv2d>()) {
        torch::nn::init::kaiming_normal_(convolution->weight, 0, torch::kFanOut, torch::kReLU);
      }
    }
  }

  torch::Tensor forward(torch::Tensor x) {  // [N, C, H, W]
    x = torch::relu(bn1_->forward(conv1_->forward(x)));
    if (large_) x = torch::max_pool2d(x, 3, 2, 1);      // [N, 64, H/4, W/4], else H, W
    for (auto& stage : stages_) x = stage->forward(x);  // 8 times smaller
    return fc_->forward(torch::adaptive_avg_pool2d(x, {1, 1}).flatten(1));
  }

 private:
  bool large_;
  Conv2d conv1_{nullptr};
  BatchNorm2d bn1_{nullptr};
  std::array<Sequential, 4> stages_{nullptr, nullptr, nullptr, nullptr};
  torch::nn::Linear fc_{nullptr};
};
TORCH_MODULE(Resnet);

enum class Stem { kAuto, kImagenet, kCifar };

struct ResnetOptions {
  Stem stem = Stem::kAuto;
  bool zero_init = false;
};

OptionTable<ResnetOptions> resnet_options() {
  using O = ResnetOptions;
  return {
      {"stem",
       &O::stem,
       {{"auto", Stem::kAuto}, {"imagenet", Stem::kImagenet}, {"cifar", Stem::kCifar}},
       "`imagenet`: a 7x7 convolution with stride 2 and a max pool, for 33x33 pixels or more; "
       "`cifar`: a 3x3 convolution with stride 1, without the pool; `auto`: `cifar` up to 32 "
       "pixels"},
      {"zero_init", &O::zero_init,
       "the last batch norm of each block begins at 0, so that each block begins as the identity "
       "(Goyal et al. 2017)"},
  };
}

Model make_resnet(const ResnetForm& form, const ModelInput& input, const ResnetOptions& options) {
  const bool large =
      options.stem == Stem::kImagenet ||
      (options.stem == Stem::kAuto && std::max(input.image.height, input.image.width) > 32);
  // Batch norm wants two pixels in the last stage, so that a batch of one can be trained on.
  require_size(form.name, input.image, large ? 33 : 9);
  Resnet network(form, input, large);
  if (options.zero_init) {
    for (const auto& module : network->modules(/*include_self=*/false)) {
      if (auto* block = module->as<Block>()) block->start_as_identity();
    }
  }
  return wrap_module(network, input.image);
}

}  // namespace

ModelPlugin resnet_plugin(const ResnetForm& form) {
  return {resnet_options(), [form](const ModelInput& input, const ResnetOptions& options) {
            return make_resnet(form, input, options);
          }};
}

}  // namespace yoke
