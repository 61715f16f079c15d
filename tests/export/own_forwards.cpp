#include "tests/export/own_forwards.h"

namespace yoke::test {
namespace {

using torch::Tensor;

// Images are [N, 3, 8, 8]; weight is [4, 12].
Tensor pooled(const Tensor& x) { return torch::avg_pool2d(x, 4).flatten(1); }

/// Operators by kind.
std::map<std::string, Forward> operator_forwards() {
  return {
      {"activations",
       [](auto fc, Tensor x) {
         x = torch::silu(x) + torch::hardswish(x) + torch::hardsigmoid(x) + torch::elu(x, 0.7);
         x = x + torch::gelu(x) + torch::leaky_relu(x, 0.1) + torch::clamp(x, -1, 2).tanh();
         x = torch::relu6(x) - torch::hardtanh(x, -0.5, 0.25) + torch::softplus(x).sigmoid();
         return fc(pooled(x));
       }},
      {"numbers",
       [](auto fc, Tensor x) {
         x = (x.abs() + 1).log() / 3 - x.neg().exp() * 0.1 + torch::add(x, x, 0.5);
         return torch::softmax(fc(pooled((x * x).sqrt() + torch::erf(x))), -1);
       }},
      {"windows",
       [](auto fc, Tensor x) {
         x = torch::max_pool2d(x, 3, 2, 1, 1, /*ceil_mode=*/true);              // 5 of 8 pixels
         x = torch::avg_pool2d(x, 2, 2, 0, true, /*count_include_pad=*/false);  // 3 of 5
         x = torch::avg_pool2d(x, 3, 1, 1);
         return fc(torch::max_pool2d(x, 2, 1, 0, /*dilation=*/1).flatten(1));
       }},
      {"adaptive",
       [](auto fc, Tensor x) {
         return fc(torch::adaptive_avg_pool2d(x, {2, 2}).flatten(1));
       }},
      {"adaptive_windows_of_several_sizes",  // of 3 pixels and 4, then of 1 and 2
       [](auto fc, Tensor x) {
         x = torch::adaptive_avg_pool2d(torch::adaptive_avg_pool2d(x, {3, 5}), {7, 2});
         return fc(x.flatten(1).narrow(1, 10, 12));
       }},
      {"convolutions",
       [](auto fc, Tensor x) {
         const auto weight = fc->weight.view({12, 1, 2, 2});
         x = torch::conv2d(x, weight, {}, 1, "same", /*dilation=*/3, /*groups=*/3);
         const auto quarter = weight.view({4, 3, 2, 2});
         const auto whole = torch::cat({quarter, quarter, quarter, quarter}, 1);
         x = torch::conv2d(x, whole, fc->bias, {2, 1}, {1, 0});
         return fc(x.narrow(1, -3, 3).slice(2, 0, 2).slice(3, 1, 3).flatten(1));
       }},
      {"tokens",  // as in transformers
       [](auto fc, Tensor x) {
         x = x.view({x.size(0), 3, 16, 4}).permute({0, 2, 1, -1}).flatten(2);  // [N, 16, 12]
         const auto first = fc->weight.mean(0, true).unsqueeze(0).expand({x.size(0), -1, -1});
         x = torch::layer_norm(torch::cat({first, x}, 1), {12});
         const auto likeness = torch::softmax(torch::matmul(x, x.transpose(1, 2)) * 0.3, -1);
         x = torch::bmm(likeness, x);
         return fc(x).select(1, 0) + fc(x).mean(1) +
                torch::addmm(fc->bias, x.select(1, -1), fc->weight.t());
       }},
      {"in_place",
       [](auto fc, Tensor x) {
         auto scores = fc(pooled(x));
         scores.relu_();
         scores.mul_(2).add_(x.size(1));
         return scores;
       }},
      {"rows",
       [](auto fc, Tensor x) {  // 16 rows of each image
         x = x.reshape({x.size(0) * 16, 12});
         return fc(x).view({-1, 16, 4}).mean(std::vector<std::int64_t>{1}).squeeze(-1);
       }},
  };
}

/// Blocks of networks.
std::map<std::string, Forward> block_forwards() {
  return {
      {"heads",  // as in vision transformers: 16 tokens of 12 features, four heads
       [](auto fc, Tensor x) {
         const auto tokens = x.flatten(2).permute({0, 2, 1}).reshape({x.size(0), 16, 12});
         const auto parts = torch::cat({tokens, tokens * 0.5, tokens.neg()}, -1).chunk(3, -1);
         const auto by_head = [&](const Tensor& part) {
           return part.view({x.size(0), 16, 4, 3}).transpose(1, 2);
         };
         const auto likeness =
             torch::matmul(by_head(parts[0]) * 0.57, by_head(parts[1]).transpose(2, 3));
         const auto mixed = torch::matmul(torch::softmax(likeness, -1), by_head(parts[2]));
         return torch::linear(mixed.transpose(1, 2).reshape({x.size(0), 16, 12}), fc->weight,
                              fc->bias)
             .select(1, 0);
       }},
      {"channels_last",
       [](auto fc, Tensor x) {
         const auto weight = fc->weight.slice(0, 0, 3).slice(1, 0, 3);
         auto y = torch::layer_norm(x.permute({0, 2, 3, 1}), {3}, fc->bias.slice(0, 0, 3));
         y = torch::gelu(torch::linear(y, weight)).permute({0, 3, 1, 2});
         x = x + y * fc->bias.slice(0, 0, 3).view({3, 1, 1});
         return fc(torch::adaptive_avg_pool2d(x, {2, 2}).flatten(1));
       }},
      {"parts",  // of the features, by one size and by several
       [](auto fc, Tensor x) {
         const auto halves = pooled(x).split(7, 1);
         const auto thirds = torch::cat({halves[1], halves[0]}, 1).split_with_sizes({1, 2, 9}, -1);
         return fc(torch::cat({thirds[2], thirds[0], thirds[1]}, 1)).chunk(1, 1)[0];
       }},
      {"attention_of_channels",  // as in MobileNetV3 and EfficientNet
       [](auto fc, Tensor x) {
         const auto mean = torch::adaptive_avg_pool2d(x, {1, 1});
         const auto weight = fc->weight.slice(1, 0, 3).unsqueeze(-1).unsqueeze(-1);
         const auto few = torch::silu(torch::conv2d(mean, weight, fc->bias));
         const auto scale = torch::conv2d(few, weight.transpose(0, 1));
         x = torch::hardsigmoid(scale) * x + x * torch::sigmoid(scale);
         return fc(torch::adaptive_avg_pool2d(torch::hardswish_(x), {2, 2}).flatten(1));
       }},
      {"dense",  // as in DenseNet
       [](auto fc, Tensor x) {
         std::vector<Tensor> features = {x};
         for (int i = 0; i < 3; ++i) {
           const auto all = torch::cat(features, 1);
           features.push_back(torch::relu(all).mean(1, true));
         }
         x = torch::avg_pool2d(torch::cat(features, 1).narrow(1, 3, 3), 2, 2);
         return fc(torch::adaptive_avg_pool2d(x, {2, 2}).flatten(1));
       }},
  };
}

}  // namespace

std::map<std::string, Forward> own_forwards() {
  auto all = operator_forwards();
  all.merge(block_forwards());
  return all;
}

}  // namespace yoke::test
