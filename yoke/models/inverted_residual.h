// yoke/models/inverted_residual.h: what MobileNets and EfficientNets are built of, with
// torchvision's names.
#pragma once
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/linear.h>

#include <cstdint>

#include "yoke/models/activation.h"
#include "yoke/models/chain.h"
#include "yoke/models/model.h"

namespace yoke {

/// Of batch norms.
struct NormForm {
  double eps = 1e-5;
  double momentum = 0.1;
};

/// A convolution without bias, padded so that its stride alone decides the size of its output, with
/// batch norm and, where one is given, an activation.
struct ConvNormForm {
  std::int64_t in, out, kernel = 1, stride = 1, groups = 1;
  Activation activation = nullptr;
  NormForm norm = {};
};
Chain make_conv_norm(const ConvNormForm& form);

/// A convolution of 1x1 that widens, a depthwise one, a gate where `squeezed` is not 0, and one of
/// 1x1 that narrows; added to the input where shapes are equal (Sandler et al. 2018, figure 3).
struct InvertedResidualForm {
  std::int64_t in, wide, out, kernel, stride;
  Activation activation = torch::relu;
  /// Channels inside the gate, which scales channels by what is in them (Hu et al. 2018), and its
  /// functions.
  std::int64_t squeezed = 0;
  Activation squeezed_activation = torch::relu;
  Activation gate = torch::sigmoid;
  NormForm norm = {};
  double drop = 0;  ///< How probably the block is left out of an image's pass in training.
};

/// That block, with layers `block.0`, `block.1`, ...
struct InvertedResidualImpl final : torch::nn::Module {
  explicit InvertedResidualImpl(const InvertedResidualForm& form);
  torch::Tensor forward(const torch::Tensor& x);  ///< [N, in, H, W] to [N, out, H', W'].

 private:
  bool shortcut_;
  double drop_;
  Chain block_;
};
TORCH_MODULE(InvertedResidual);

/// Features, their mean over all positions, and a classifier of it.
struct MobileNetworkImpl final : torch::nn::Module {
  /// Convolutions begin with Kaiming's normal distribution, fan out; the classifier as it is given.
  MobileNetworkImpl(Chain features, torch::nn::Sequential classifier);
  torch::Tensor forward(const torch::Tensor& x);  ///< [N, C, H, W] to [N, classes].

 private:
  Chain features_;
  torch::nn::Sequential classifier_;
};
TORCH_MODULE(MobileNetwork);

/// A fully connected layer whose weights begin with a normal distribution of deviation 0.01.
torch::nn::Linear make_normal_linear(std::int64_t in, std::int64_t out);

}  // namespace yoke
