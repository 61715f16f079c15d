// tests/engine/kernels_test.cpp: the compiled engine's own kernels against LibTorch's, in all
// formats.
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "tests/engine/blocked.h"
#include "yoke/engine/compiled/kernels/add.h"
#include "yoke/engine/compiled/kernels/average_pool.h"
#include "yoke/engine/compiled/kernels/combine.h"
#include "yoke/engine/compiled/kernels/max_pool.h"

namespace yoke::test {
namespace {

using compiled::Format;
using torch::Tensor;

/// Expects the numbers of `expected`, rounded to the type of `actual`.
void expect_equal(const Blocked& actual, const Tensor& expected) {
  const double tolerance = rounding(actual.tensor().type);
  EXPECT_TRUE(torch::allclose(actual.values(), expected, tolerance, tolerance))
      << actual.tensor().shape.str() << " in blocks of " << actual.tensor().block()
      << (actual.tensor().is_bf16() ? ", bf16" : ", fp32");
  EXPECT_TRUE(actual.is_padded_with_zeros()) << "in blocks of " << actual.tensor().block();
}

/// A pooling of images of 7x5.
struct Pooling {
  std::vector<std::int64_t> kernel, stride, padding, dilation;
};

void expect_max_pool_equals_libtorch(const Pooling& pooling, bool relu, std::int64_t channels,
                                     Format format, NumberType type) {
  // Few different numbers, for ties.
  Tensor input = torch::randint(-3, 4, {2, channels, 7, 5}).to(torch::kFloat32);
  input.set_requires_grad(true);
  const auto& [kernel, stride, padding, dilation] = pooling;
  const Tensor pooled = torch::max_pool2d(input, kernel, stride, padding, dilation);
  const Tensor expected = relu ? torch::relu(pooled) : pooled;
  const Tensor gradient = exact_noise(expected.sizes().vec());
  expected.backward(gradient);

  const auto windows =
      compiled::pool_windows({7, expected.size(2), kernel[0], stride[0], padding[0], dilation[0]},
                             {5, expected.size(3), kernel[1], stride[1], padding[1], dilation[1]});
  const Blocked from(input.detach(), format, type), from_gradient(gradient, format, type);
  Blocked to(torch::zeros_like(gradient), format, type);
  Blocked to_gradient(torch::full_like(input, 9), format, type);
  std::vector<std::uint8_t> taps(static_cast<std::size_t>(to.tensor().elements()));
  compiled::max_pool_forward(from.tensor(), windows, relu, to.tensor(), taps.data());
  compiled::max_pool_backward(from_gradient.tensor(), taps.data(), windows, to_gradient.tensor());
  expect_equal(to, expected.detach());
  expect_equal(to_gradient, input.grad());
  compiled::max_pool_forward(from.tensor(), windows, relu, to.tensor(), nullptr);
  expect_equal(to, expected.detach());
}

TEST(MaxPoolKernel, EqualsLibTorch) {
  torch::manual_seed(1);
  const std::vector<Pooling> poolings = {{{3, 2}, {2, 1}, {1, 1}, {1, 2}},
                                         {{2, 2}, {2, 2}, {0, 0}, {1, 1}},
                                         {{2, 2}, {2, 2}, {1, 1}, {1, 1}},
                                         {{2, 2}, {2, 2}, {0, 0}, {2, 2}},
                                         {{3, 3}, {2, 2}, {1, 1}, {1, 1}}};
  in_all_formats([&](std::int64_t channels, Format format, NumberType type) {
    for (const bool relu : {false, true}) {
      for (const auto& pooling : poolings) {
        expect_max_pool_equals_libtorch(pooling, relu, channels, format, type);
      }
    }
  });
}

TEST(MaxPoolKernel, KeepsWhatIsNotANumber) {
  in_all_formats([](std::int64_t channels, Format format, NumberType type) {
    for (const std::int64_t size : {2, 3}) {
      const compiled::PoolAxis axis{size, 1, size, size, 0, 1};
      const auto windows = compiled::pool_windows(axis, axis);
      for (std::int64_t at = 0; at < size * size; ++at) {
        Tensor input = torch::ones({1, channels, size, size});
        input.flatten(2).select(2, at).fill_(std::nan(""));
        const Blocked from(input, format, type);
        Blocked to(torch::zeros({1, channels, 1, 1}), format, type);
        compiled::max_pool_forward(from.tensor(), windows, true, to.tensor(), nullptr);
        EXPECT_TRUE(to.values().isnan().all().item<bool>()) << "tap " << at << " of " << size;
      }
    }
  });
}

TEST(AveragePoolKernel, EqualsLibTorch) {
  torch::manual_seed(1);
  in_all_formats([](std::int64_t channels, Format format, NumberType type) {
    Tensor input = exact_noise({2, channels, 7, 5});
    input.set_requires_grad(true);
    const Tensor expected = torch::adaptive_avg_pool2d(input, {4, 3});  // overlap, of two sizes
    const Tensor gradient = exact_noise(expected.sizes().vec());
    expected.backward(gradient);

    compiled::AverageWindows windows{
        compiled::adaptive_windows(7, 4), compiled::adaptive_windows(5, 3), {}};
    for (const auto& rows : windows.rows.of_window) {
      for (const auto& columns : windows.columns.of_window) {
        windows.scale.push_back(1.0F / static_cast<float>(rows.size() * columns.size()));
      }
    }
    const Blocked from(input.detach(), format, type), from_gradient(gradient, format, type);
    Blocked to(torch::full_like(gradient, 9), format, type);
    Blocked to_gradient(torch::full_like(input, 9), format, type);
    compiled::average_pool_forward(from.tensor(), windows, to.tensor());
    compiled::average_pool_backward(from_gradient.tensor(), windows, to_gradient.tensor());
    expect_equal(to, expected.detach());
    expect_equal(to_gradient, input.grad());
  });
}

TEST(CombineKernel, AddsAndMultipliesWithOneNumberPerChannel) {
  torch::manual_seed(1);
  in_all_formats([](std::int64_t channels, Format format, NumberType type) {
    const Tensor a = exact_noise({3, channels, 3, 7});
    for (const Tensor& b : {exact_noise({3, channels, 3, 7}), exact_noise({3, channels, 1, 1})}) {
      const Blocked left(a, format, type), right(b, format, type);
      Blocked result(torch::zeros_like(a), format, type);
      compiled::combine(left.tensor(), right.tensor(), false, result.tensor());
      expect_equal(result, a + b);
      compiled::combine(left.tensor(), right.tensor(), true, result.tensor());
      expect_equal(result, a * b);
      compiled::combine(left.tensor(), right.tensor(), true, left.tensor());  // in place
      expect_equal(left, a * b);
    }
  });
}

TEST(CombineKernel, SumsOverPixels) {
  torch::manual_seed(1);
  in_all_formats([](std::int64_t channels, Format format, NumberType type) {
    const Tensor a = exact_noise({3, channels, 3, 7}), b = exact_noise({3, channels, 3, 7});
    const Blocked left(a, format, type), right(b, format, type);
    Blocked result(torch::full({3, channels, 1, 1}, 9), format, type);
    compiled::sum_over_pixels(left.tensor(), nullptr, result.tensor());
    expect_equal(result, a.sum({2, 3}, true));
    compiled::sum_over_pixels(left.tensor(), &right.tensor(), result.tensor());
    expect_equal(result, (a * b).sum({2, 3}, true));
  });
}

TEST(AddKernel, AddsTensorsAndTheirRelu) {
  torch::manual_seed(1);
  in_all_formats([](std::int64_t channels, Format format, NumberType type) {
    const Tensor a = exact_noise({3, channels, 3, 7}), b = exact_noise({3, channels, 3, 7});
    const Blocked left(a, format, type), right(b, format, type);
    Blocked result(torch::zeros_like(a), format, type);
    compiled::add_tensors(left.tensor(), right.tensor(), true, result.tensor());
    expect_equal(result, torch::relu(a + b));
    compiled::add_tensors(left.tensor(), right.tensor(), false, left.tensor());  // in place
    expect_equal(left, a + b);
  });
}

TEST(AddKernel, MasksGradientsByTheSignOfTheResult) {
  torch::manual_seed(1);
  in_all_formats([](std::int64_t channels, Format format, NumberType type) {
    for (const double slope : {0.0, 0.25}) {
      Tensor input = torch::randint(-2, 3, {3, channels, 3, 7}).to(torch::kFloat32);
      input.set_requires_grad(true);
      const Tensor activated = torch::leaky_relu(input, slope);
      const Tensor gradient = exact_noise({3, channels, 3, 7});
      activated.backward(gradient);
      const Blocked from(gradient, format, type), result_of(activated.detach(), format, type);
      compiled::relu_backward(from.tensor(), result_of.tensor(), static_cast<float>(slope),
                              from.tensor());
      expect_equal(from, input.grad());
    }
  });
}

TEST(AddKernel, AddsVectorsOfAnyLength) {
  for (const std::int64_t count : {0, 1, 15, 16, 17, 33}) {
    std::vector<float> sum(static_cast<std::size_t>(count) + 1, 2), values(sum.size(), 3);
    compiled::add_to(values.data(), count, sum.data());
    EXPECT_EQ(std::count(sum.begin(), sum.end(), 5.0F), count);
    EXPECT_EQ(sum.back(), 2.0F);
  }
}

TEST(Kernels, PassOnWhatIsNoNumber) {
  const Tensor nan = torch::full({1, 1, 1, 1}, std::nan(""));
  for (const NumberType type : {NumberType::f32, NumberType::bf16}) {
    const Blocked from(nan, Format::kPlain, type),
        zero(torch::zeros_like(nan), Format::kPlain, type);
    Blocked to(torch::zeros_like(nan), Format::kPlain, type);
    compiled::add_tensors(from.tensor(), zero.tensor(), true, to.tensor());
    EXPECT_TRUE(to.values().isnan().item<bool>());
    const auto windows = compiled::pool_windows({1, 1, 1, 1, 0, 1}, {1, 1, 1, 1, 0, 1});
    compiled::max_pool_forward(from.tensor(), windows, true, to.tensor(), nullptr);
    EXPECT_TRUE(to.values().isnan().item<bool>());
  }
}

}  // namespace
}  // namespace yoke::test
