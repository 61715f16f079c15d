#include "tests/engine/random_layers.h"

#include <fmt/format.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include <algorithm>
#include <vector>

namespace yoke::test {
namespace {

using torch::nn::Conv2d, torch::nn::Conv2dOptions, torch::nn::Linear, torch::nn::LinearOptions;

/// The options of a convolution or pooling along one axis.
struct Axis {
  std::int64_t kernel, stride, padding, dilation;

  std::int64_t reach() const { return (kernel - 1) * dilation + 1; }
  bool fits(std::int64_t pixels) const { return reach() <= pixels + 2 * padding; }
  std::string str() const { return fmt::format("k{}s{}p{}d{}", kernel, stride, padding, dilation); }
};

Axis draw_convolution_axis(Draft& draft, std::int64_t pixels) {
  const Axis axis{draft.between(1, 5), draft.between(1, 3), draft.between(0, 3),
                  draft.between(1, 2)};
  return axis.fits(pixels) ? axis : Axis{1, axis.stride, 0, axis.dilation};
}

/// LibTorch's poolings take at most half a window of padding.
Axis draw_pool_axis(Draft& draft, std::int64_t pixels, std::int64_t most_dilation) {
  const std::int64_t kernel = draft.between(1, 4);
  const Axis axis{kernel, draft.between(1, 3), draft.between(0, kernel / 2),
                  pixels > 1 ? draft.between(1, most_dilation) : 1};
  return axis.fits(pixels) ? axis : Axis{1, axis.stride, 0, 1};
}

std::int64_t draw_groups(Draft& draft, std::int64_t channels) {
  std::vector<std::int64_t> divisors;
  for (std::int64_t i = 1; i <= channels; ++i) {
    if (channels % i == 0) divisors.push_back(i);
  }
  return draft.chance(0.5) ? 1 : draft.pick(divisors);
}

/// `forward` with the shape that its result has for images of shape `in`.
RandomLayer measured(std::string text, const ImageShape& in,
                     std::function<torch::Tensor(torch::Tensor)> forward) {
  const torch::NoGradGuard no_grad;
  const auto sizes = forward(torch::zeros({1, in.channels, in.height, in.width})).sizes().vec();
  return {std::move(text), {sizes[1], sizes[2], sizes[3]}, std::move(forward)};
}

}  // namespace

RandomLayer chain(const RandomLayer& first, const RandomLayer& second) {
  return {first.text + ", " + second.text, second.shape,
          [first, second](torch::Tensor x) { return second.forward(first.forward(x)); }};
}

RandomLayer draw_convolution(Draft& draft, const ImageShape& in, bool bias) {
  const std::int64_t groups = draw_groups(draft, in.channels);
  const std::int64_t out = groups == 1 ? draft.channels() : groups * draft.between(1, 3);
  const Axis y = draw_convolution_axis(draft, in.height),
             x = draw_convolution_axis(draft, in.width);
  const auto options = Conv2dOptions(in.channels, out, {y.kernel, x.kernel})
                           .stride({y.stride, x.stride})
                           .padding({y.padding, x.padding})
                           .dilation({y.dilation, x.dilation})
                           .groups(groups)
                           .bias(bias);
  auto layer = draft.module.register_module(draft.name("convolution"), Conv2d(options));
  return measured(fmt::format("convolution {}->{} {} {} groups {} bias {}", in.str(), out, y.str(),
                              x.str(), groups, bias),
                  in, [layer](torch::Tensor x) mutable { return layer->forward(x); });
}

RandomLayer draw_same_convolution(Draft& draft, const ImageShape& in, std::int64_t channels,
                                  bool bias) {
  const std::int64_t y = draft.between(1, 4), x = draft.between(1, 4),
                     dilation = draft.between(1, 2);
  const auto options = Conv2dOptions(in.channels, channels, {y, x})
                           .padding(torch::kSame)
                           .dilation(dilation)
                           .bias(bias);
  auto layer = draft.module.register_module(draft.name("convolution"), Conv2d(options));
  return {fmt::format("same convolution {}->{} {}x{} dilation {} bias {}", in.str(), channels, y, x,
                      dilation, bias),
          {channels, in.height, in.width},
          [layer](torch::Tensor x) mutable { return layer->forward(x); }};
}

RandomLayer draw_max_pool(Draft& draft, const ImageShape& in) {
  const Axis y = draw_pool_axis(draft, in.height, 2), x = draw_pool_axis(draft, in.width, 2);
  const bool ceil = draft.chance(0.5);
  std::vector<std::int64_t> stride;  // empty: that of the windows
  if (draft.chance(0.7)) stride = {y.stride, x.stride};
  return measured(fmt::format("max pool {} {} {} strides {} ceil {}", in.str(), y.str(), x.str(),
                              stride.size(), ceil),
                  in, [=](torch::Tensor images) {
                    return torch::max_pool2d(images, {y.kernel, x.kernel}, stride,
                                             {y.padding, x.padding}, {y.dilation, x.dilation},
                                             ceil);
                  });
}

RandomLayer draw_average_pool(Draft& draft, const ImageShape& in) {
  const Axis y = draw_pool_axis(draft, in.height, 1), x = draw_pool_axis(draft, in.width, 1);
  const bool ceil = draft.chance(0.5), count_padding = draft.chance(0.5);
  std::vector<std::int64_t> stride;
  if (draft.chance(0.7)) stride = {y.stride, x.stride};
  c10::optional<std::int64_t> divisor;
  if (draft.chance(0.3)) divisor = draft.between(1, 7);
  return measured(
      fmt::format("average pool {} {} {} strides {} ceil {} count padding {} divisor {}", in.str(),
                  y.str(), x.str(), stride.size(), ceil, count_padding, divisor.value_or(0)),
      in, [=](torch::Tensor images) {
        return torch::avg_pool2d(images, {y.kernel, x.kernel}, stride, {y.padding, x.padding}, ceil,
                                 count_padding, divisor);
      });
}

RandomLayer draw_adaptive_pool(Draft& draft, const ImageShape& in) {
  const std::int64_t height = draft.between(1, 5), width = draft.between(1, 5);
  return {fmt::format("adaptive pool {}->{}x{}", in.str(), height, width),
          {in.channels, height, width},
          [=](torch::Tensor x) {
            return torch::adaptive_avg_pool2d(x, {height, width});
          }};
}

RandomLayer draw_linear(Draft& draft, const ImageShape& in, std::int64_t features, bool bias) {
  const bool as_product = draft.chance(0.3);
  const auto options = LinearOptions(in.elements(), features).bias(bias);
  auto layer = draft.module.register_module(draft.name("linear"), Linear(options));
  return {
      fmt::format("linear {}->{} bias {} as product {}", in.elements(), features, bias, as_product),
      {features, 1, 1},
      [layer, bias, as_product](torch::Tensor x) mutable {
        if (!as_product) return layer->forward(x);
        return bias ? torch::addmm(layer->bias, x, layer->weight.t())
                    : torch::matmul(x, layer->weight.t());
      }};
}

RandomLayer draw_activation(Draft& draft, const ImageShape& in) {
  using Function = torch::Tensor (*)(const torch::Tensor&);
  static const std::pair<const char*, Function> functions[] = {
      {"relu", [](const torch::Tensor& x) { return torch::relu(x); }},
      {"relu", [](const torch::Tensor& x) { return torch::relu(x); }},
      {"leaky relu", [](const torch::Tensor& x) { return torch::leaky_relu(x, 0.1); }},
      {"rising leaky relu", [](const torch::Tensor& x) { return torch::leaky_relu(x, -0.2); }},
      {"elu", [](const torch::Tensor& x) { return torch::elu(x, 0.7); }},
      {"gelu", [](const torch::Tensor& x) { return torch::gelu(x); }},
      {"gelu tanh", [](const torch::Tensor& x) { return torch::gelu(x, "tanh"); }},
      {"silu", [](const torch::Tensor& x) { return torch::silu(x); }},
      {"hardswish", [](const torch::Tensor& x) { return torch::hardswish(x); }},
      {"sigmoid", [](const torch::Tensor& x) { return torch::sigmoid(x); }},
      {"tanh", [](const torch::Tensor& x) { return torch::tanh(x); }},
      {"relu6", [](const torch::Tensor& x) { return torch::relu6(x); }},
      {"scale", [](const torch::Tensor& x) { return x * 0.7; }},
      {"hardtanh", [](const torch::Tensor& x) { return torch::hardtanh(x, -0.5, 0.75); }}};
  const auto [text, function] = draft.pick(functions);
  return {text, in, function};
}

RandomLayer draw_batch_norm(Draft& draft, const ImageShape& in, bool flat) {
  const bool affine = draft.chance(0.7), track = draft.chance(0.7);
  const auto options =
      torch::nn::BatchNormOptions(in.channels).affine(affine).track_running_stats(track);
  const std::string text = fmt::format("batch norm {} affine {} track {}", in.str(), affine, track);
  const std::string name = draft.name("batch_norm");
  if (flat) {
    auto layer = draft.module.register_module(name, torch::nn::BatchNorm1d(options));
    return {text, in, [layer](torch::Tensor x) mutable { return layer->forward(x); }};
  }
  auto layer = draft.module.register_module(name, torch::nn::BatchNorm2d(options));
  return {text, in, [layer](torch::Tensor x) mutable { return layer->forward(x); }};
}

}  // namespace yoke::test
