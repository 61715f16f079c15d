// tests/engine/convolved.h: convolutions and their gradients as LibTorch's loops in fp64 compute
// them.
#pragma once
#include <torch/autograd.h>
#include <torch/utils.h>

#include <vector>

#include "tests/engine/blocked.h"

namespace yoke::test {

/// A convolution and the gradient of its result.
struct Given {
  torch::Tensor input, weights, bias, gradient;
  std::int64_t pad_y, pad_x;
};

struct Results {
  torch::Tensor result, input_gradient, weight_gradient, bias_gradient;
};

inline Given draw(std::vector<std::int64_t> input, std::int64_t outputs, std::int64_t taps,
                  std::int64_t pad_y, std::int64_t pad_x) {
  const std::vector<std::int64_t> result{input[0], outputs, input[2] + 2 * pad_y + 1 - taps,
                                         input[3] + 2 * pad_x + 1 - taps};
  const std::int64_t inputs = input[1];
  return {exact_noise(input),
          exact_noise({outputs, inputs, taps, taps}),
          exact_noise({outputs}),
          exact_noise(result),
          pad_y,
          pad_x};
}

inline Results in_double(const Given& given) {
  const auto variable = [](const torch::Tensor& tensor) {
    return tensor.to(torch::kFloat64).requires_grad_();
  };
  const torch::Tensor input = variable(given.input), weights = variable(given.weights),
                      bias = variable(given.bias);
  const torch::Tensor result = torch::conv2d(input, weights, bias, 1, {given.pad_y, given.pad_x});
  result.backward(given.gradient.to(torch::kFloat64));
  return {result.detach(), input.grad(), weights.grad(), bias.grad()};
}

/// Of all numbers together.
inline double error(const torch::Tensor& actual, const torch::Tensor& expected) {
  return ((actual.to(torch::kFloat64) - expected).norm() / expected.norm()).item<double>();
}

/// Of convolutions by Winograd's tiles, in fp32, of such kernels.
inline double allowed_error(const Given& given) {
  return given.weights.size(2) == 3 ? 4e-6 : 1.6e-5;
}

/// Likewise of 3x3, with tiles and weights that are multiplied as bf16 numbers.
inline constexpr double kAllowedErrorInBf16 = 1.6e-2;

}  // namespace yoke::test
