// tests/engine/depthwise_kernel_test.cpp: the weight gradient of depthwise convolutions, against
// LibTorch's.
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "tests/engine/blocked.h"
#include "yoke/engine/compiled/kernels/depthwise.h"

namespace yoke::test {
namespace {

using compiled::PatchGeometry;
using torch::Tensor;

struct Gradients {
  Tensor weights, bias;
};

Gradients of_libtorch(const Tensor& input, const Tensor& gradient, const PatchGeometry& g) {
  const std::int64_t channels = input.size(1);
  const Tensor weights =
      torch::zeros({channels, 1, g.kernel_height, g.kernel_width}).requires_grad_();
  const Tensor bias = torch::zeros({channels}).requires_grad_();
  torch::conv2d(input, weights, bias, {g.stride_y, g.stride_x}, {g.pad_y, g.pad_x},
                {g.dilation_y, g.dilation_x}, channels)
      .backward(gradient);
  return {weights.grad(), bias.grad()};
}

void expect_equals_libtorch(PatchGeometry g, compiled::Format format, NumberType type) {
  const std::int64_t channels = g.image.channels;
  const Tensor input = exact_noise({3, channels, g.image.height, g.image.width});
  const Tensor gradient = exact_noise({3, channels, g.out_height, g.out_width});
  const Blocked src(input, format, type), diff_dst(gradient, format, type);
  Tensor weights = torch::full({channels, 1, g.kernel_height, g.kernel_width}, NAN);
  Tensor bias = torch::full({channels}, NAN);
  compiled::depthwise_weight_gradient(src.tensor(), diff_dst.tensor(), g, weights.data_ptr<float>(),
                                      bias.data_ptr<float>());
  const Gradients expected = of_libtorch(input, gradient, g);
  EXPECT_TRUE(torch::allclose(weights, expected.weights, 1e-5, 1e-4));
  EXPECT_TRUE(torch::allclose(bias, expected.bias, 1e-5, 1e-4));
  compiled::depthwise_weight_gradient(src.tensor(), diff_dst.tensor(), g, weights.data_ptr<float>(),
                                      /*bias=*/nullptr);
  EXPECT_TRUE(torch::allclose(weights, expected.weights, 1e-5, 1e-4));
}

TEST(DepthwiseKernel, EqualsLibtorch) {
  torch::manual_seed(1);
  in_all_formats([](std::int64_t channels, compiled::Format format, NumberType type) {
    const PatchGeometry same{{channels, 9, 6}, 9, 6, 7, 7, 1, 1, 3, 3};
    const PatchGeometry odd{{channels, 11, 8}, 5, 2, 4, 3, 2, 3, 1, 0, 1, 2};
    const PatchGeometry far_outside{{channels, 3, 3}, 7, 7, 3, 3, 1, 1, 3, 3};
    const PatchGeometry tall{{channels, 12, 9}, 12, 7, 3, 3, 1, 1, 3, 0, 3, 1};
    for (const auto& geometry : {same, odd, far_outside, tall}) {
      SCOPED_TRACE(fmt::format("{} channels, format {}, kernel {}x{}", channels,
                               static_cast<int>(format), geometry.kernel_height,
                               geometry.kernel_width));
      expect_equals_libtorch(geometry, format, type);
    }
  });
}

}  // namespace
}  // namespace yoke::test
