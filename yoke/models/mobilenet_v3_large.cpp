// yoke/models/mobilenet_v3_large.cpp: MobileNetV3-Large (Howard et al. 2019, table 1) with
// torchvision's names and initialisation.
#include <torch/nn/modules/container/functional.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>

#include <algorithm>

#include "yoke/models/input_size.h"
#include "yoke/models/inverted_residual.h"

namespace yoke {
namespace {

constexpr NormForm kV3Norm = {.eps = 1e-3, .momentum = 0.01};

struct V3Block {
  std::int64_t kernel, wide, out;
  bool gated;
  Activation activation;
  std::int64_t stride;
};

const V3Block kV3Blocks[] = {
    {3, 16, 16, false, torch::relu, 1},       {3, 64, 24, false, torch::relu, 2},
    {3, 72, 24, false, torch::relu, 1},       {5, 72, 40, true, torch::relu, 2},
    {5, 120, 40, true, torch::relu, 1},       {5, 120, 40, true, torch::relu, 1},
    {3, 240, 80, false, torch::hardswish, 2}, {3, 200, 80, false, torch::hardswish, 1},
    {3, 184, 80, false, torch::hardswish, 1}, {3, 184, 80, false, torch::hardswish, 1},
    {3, 480, 112, true, torch::hardswish, 1}, {3, 672, 112, true, torch::hardswish, 1},
    {5, 672, 160, true, torch::hardswish, 2}, {5, 960, 160, true, torch::hardswish, 1},
    {5, 960, 160, true, torch::hardswish, 1}};
constexpr std::int64_t kV3Channels = 960;  // of the features
constexpr std::int64_t kV3Hidden = 1280;

/// A quarter of `wide`, as the nearest multiple of 8, or the next one where that were under 9/10.
std::int64_t squeezed_channels(std::int64_t wide) {
  const std::int64_t quarter = wide / 4;
  const std::int64_t rounded = std::max<std::int64_t>(8, (quarter + 4) / 8 * 8);
  return 10 * rounded < 9 * quarter ? rounded + 8 : rounded;
}

Chain make_mobilenet_v3_features(std::int64_t channels) {
  std::int64_t in = 16;
  Chain features;
  features->push_back(make_conv_norm({.in = channels,
                                      .out = in,
                                      .kernel = 3,
                                      .stride = 2,
                                      .activation = torch::hardswish,
                                      .norm = kV3Norm}));
  for (const auto& block : kV3Blocks) {
    features->push_back(InvertedResidual(
        InvertedResidualForm{.in = in,
                             .wide = block.wide,
                             .out = block.out,
                             .kernel = block.kernel,
                             .stride = block.stride,
                             .activation = block.activation,
                             .squeezed = block.gated ? squeezed_channels(block.wide) : 0,
                             .gate = torch::hardsigmoid,
                             .norm = kV3Norm}));
    in = block.out;
  }
  features->push_back(make_conv_norm(
      {.in = in, .out = kV3Channels, .activation = torch::hardswish, .norm = kV3Norm}));
  return features;
}

struct MobilenetV3Options {
  double dropout = 0.2;
};

}  // namespace

ModelPlugin mobilenet_v3_large_model() {
  const OptionTable<MobilenetV3Options> options = {
      {"dropout", &MobilenetV3Options::dropout, in(0, 0.99),
       "probability that a unit of the hidden fully connected layer is dropped"}};
  return {options,
          [](const ModelInput& input, const MobilenetV3Options& chosen) {
            const torch::nn::Sequential classifier(
                make_normal_linear(kV3Channels, kV3Hidden), torch::nn::Functional(torch::hardswish),
                torch::nn::Dropout(chosen.dropout), make_normal_linear(kV3Hidden, input.classes));
            return wrap_module(
                MobileNetwork(make_mobilenet_v3_features(input.image.channels), classifier),
                at_least(input.image, 64));
          },
          ModelTraits{.usual_image = {3, 224, 224}}};
}

}  // namespace yoke
