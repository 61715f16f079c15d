// yoke/models/vit_small.cpp: a vision transformer (Dosovitskiy et al. 2020, "An image is worth
// 16x16 words") in the size of DeiT-S (Touvron et al. 2021, table 1), with torchvision's layers,
// names and initialisation, but for a last layer that is drawn, as in DeiT, and not zero.
#include <torch/nn/init.h>
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>

#include <cmath>

#include "yoke/models/input_size.h"
#include "yoke/models/model.h"

namespace yoke {
namespace {

using torch::nn::Conv2d, torch::nn::LayerNorm, torch::nn::Linear, torch::nn::Sequential;

constexpr std::int64_t kVitWidth = 384, kVitHeads = 6, kVitHidden = 1536, kVitLayers = 12;

LayerNorm make_vit_norm() { return LayerNorm(torch::nn::LayerNormOptions({kVitWidth}).eps(1e-6)); }

/// Attention of each token to all (Vaswani et al. 2017, section 3.2.2).
struct SelfAttentionImpl final : torch::nn::Module {
  SelfAttentionImpl()
      : in_proj_weight_(
            register_parameter("in_proj_weight", torch::empty({3 * kVitWidth, kVitWidth}))),
        in_proj_bias_(register_parameter("in_proj_bias", torch::zeros({3 * kVitWidth}))),
        out_proj_(register_module("out_proj", Linear(kVitWidth, kVitWidth))) {
    torch::nn::init::xavier_uniform_(in_proj_weight_);
    torch::nn::init::zeros_(out_proj_->bias);
  }

  torch::Tensor forward(const torch::Tensor& x) {  // [N, P, D]
    constexpr std::int64_t kPart = kVitWidth / kVitHeads;
    const auto images = x.size(0), tokens = x.size(1);
    const auto parts = torch::linear(x, in_proj_weight_, in_proj_bias_).chunk(3, -1);
    const auto by_head = [&](const torch::Tensor& part) {  // [N, heads, P, D / heads]
      return part.view({images, tokens, kVitHeads, kPart}).transpose(1, 2);
    };
    const auto query = by_head(parts[0]), key = by_head(parts[1]), value = by_head(parts[2]);
    const auto scores =
        torch::matmul(query * (1 / std::sqrt(static_cast<double>(kPart))), key.transpose(2, 3));
    const auto mixed = torch::matmul(torch::softmax(scores, -1), value).transpose(1, 2);
    return torch::linear(mixed.reshape({images, tokens, kVitWidth}), out_proj_->weight,
                         out_proj_->bias);
  }

 private:
  torch::Tensor in_proj_weight_, in_proj_bias_;
  Linear out_proj_;
};
TORCH_MODULE(SelfAttention);

/// Two layers of each token.
Sequential make_vit_mlp() {
  Sequential mlp;
  mlp->push_back("0", Linear(kVitWidth, kVitHidden));
  mlp->push_back("1", torch::nn::GELU());
  mlp->push_back("3", Linear(kVitHidden, kVitWidth));  // 2, in torchvision, is a dropout
  for (const auto& parameter : mlp->named_parameters()) {
    if (parameter.key().ends_with("weight")) torch::nn::init::xavier_uniform_(parameter.value());
    if (parameter.key().ends_with("bias")) torch::nn::init::normal_(parameter.value(), 0, 1e-6);
  }
  return mlp;
}

struct EncoderLayerImpl final : torch::nn::Module {
  EncoderLayerImpl()
      : ln_1_(register_module("ln_1", make_vit_norm())),
        self_attention_(register_module("self_attention", SelfAttention())),
        ln_2_(register_module("ln_2", make_vit_norm())),
        mlp_(register_module("mlp", make_vit_mlp())) {}

  torch::Tensor forward(const torch::Tensor& input) {  // [N, P, D]
    const auto x = input + self_attention_->forward(ln_1_->forward(input));
    return x + mlp_->forward(ln_2_->forward(x));
  }

 private:
  LayerNorm ln_1_;
  SelfAttention self_attention_;
  LayerNorm ln_2_;
  Sequential mlp_;
};
TORCH_MODULE(EncoderLayer);

struct EncoderImpl final : torch::nn::Module {
  explicit EncoderImpl(std::int64_t tokens)
      : pos_embedding_(
            register_parameter("pos_embedding", torch::randn({1, tokens, kVitWidth}) * 0.02)) {
    for (std::int64_t i = 0; i < kVitLayers; ++i) {
      layers_->push_back(fmt::format("encoder_layer_{}", i), EncoderLayer());
    }
    register_module("layers", layers_);
    ln_ = register_module("ln", make_vit_norm());
  }

  torch::Tensor forward(const torch::Tensor& x) {  // [N, P, D]
    return ln_->forward(layers_->forward(x + pos_embedding_));
  }

 private:
  torch::Tensor pos_embedding_;
  Sequential layers_;
  LayerNorm ln_{nullptr};
};
TORCH_MODULE(Encoder);

struct VisionTransformerImpl final : torch::nn::Module {
  VisionTransformerImpl(const ImageShape& image, std::int64_t classes, std::int64_t patch)
      : class_token_(register_parameter("class_token", torch::zeros({1, 1, kVitWidth}))),
        conv_proj_(register_module(
            "conv_proj",
            Conv2d(torch::nn::Conv2dOptions(image.channels, kVitWidth, patch).stride(patch)))),
        encoder_(register_module("encoder",
                                 Encoder(1 + (image.height / patch) * (image.width / patch)))) {
    const Linear head(kVitWidth, classes);
    heads_->push_back("head", head);
    register_module("heads", heads_);
    // Torchvision cuts the normal distributions off at 2, eight deviations away or more.
    const auto inputs = static_cast<double>(image.channels * patch * patch);
    torch::nn::init::normal_(conv_proj_->weight, 0, std::sqrt(1 / inputs));
    torch::nn::init::normal_(head->weight, 0, 0.02);
    for (const auto& bias : {conv_proj_->bias, head->bias}) torch::nn::init::zeros_(bias);
  }

  torch::Tensor forward(const torch::Tensor& images) {                         // [N, C, H, W]
    const auto x = conv_proj_->forward(images).flatten(2).permute({0, 2, 1});  // [N, P, D]
    const auto first = class_token_.expand({images.size(0), -1, -1});
    return heads_->forward(encoder_->forward(torch::cat({first, x}, 1)).select(1, 0));
  }

 private:
  torch::Tensor class_token_;
  Conv2d conv_proj_;
  Encoder encoder_;
  Sequential heads_;
};
TORCH_MODULE(VisionTransformer);

struct VitOptions {
  std::int64_t patch = 16;
};

/// Up to a multiple of `step`.
std::int64_t rounded_up(std::int64_t pixels, std::int64_t step) {
  return (pixels + step - 1) / step * step;
}

}  // namespace

ModelPlugin vit_small_model() {
  const OptionTable<VitOptions> options = {
      {"patch", &VitOptions::patch, in(4, 64),
       "pixels of the sides of a token; images are resized to multiples of it"}};
  return {options,
          [](const ModelInput& input, const VitOptions& chosen) {
            const auto [channels, height, width] = at_least(input.image, 64);
            const ImageShape image{channels, rounded_up(height, chosen.patch),
                                   rounded_up(width, chosen.patch)};
            return wrap_module(VisionTransformer(image, input.classes, chosen.patch), image);
          },
          ModelTraits{.usual_image = {3, 224, 224}}};
}

}  // namespace yoke
