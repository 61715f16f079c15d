// tests/engine/winograd_kernel_test.cpp: convolutions by Winograd's tiles are what LibTorch's loops
// in fp64 say.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "tests/engine/convolved.h"
#include "yoke/engine/compiled/kernels/winograd.h"

namespace yoke::test {
namespace {

using compiled::Format, compiled::TileMatrices, compiled::TileRange, compiled::WinogradKernel;
using torch::Tensor;

/// What images are in memory as, and what their tiles and the weights are multiplied as.
struct Numbers {
  NumberType images, tiles;
};

/// The kernels with LibTorch's products between them, so many tiles at a time.
class ByTiles {
 public:
  ByTiles(const Given& given, Format format, Numbers numbers, std::int64_t at_once)
      : given_(given),
        kernel_{given.weights.size(0), given.weights.size(1), given.weights.size(2)},
        filled_(compiled::filled_channels(kernel_.inputs)),
        products_(compiled::winograd_products(kernel_.taps)),
        format_(format),
        type_(numbers.images),
        tiles_(numbers.tiles),
        at_once_(at_once) {}

  Tensor result() const {
    return convolve(given_.input, weights(), given_.gradient.sizes().vec(), given_.pad_y,
                    given_.pad_x, given_.bias.data_ptr<float>(), false);
  }

  Tensor input_gradient() const {
    return convolve(given_.gradient, transposed_weights(), given_.input.sizes().vec(),
                    kernel_.taps - 1 - given_.pad_y, kernel_.taps - 1 - given_.pad_x, nullptr,
                    /*turned=*/true);
  }

  /// Likewise, by the transpose of the convolution.
  Tensor spread_gradient() const {
    const Tensor weights = transposed_weights();
    const Blocked gradient(given_.gradient, format_, type_);
    const Blocked input(torch::zeros(given_.input.sizes()), format_, NumberType::f32);
    for_each_block(gradient.tensor(), [&](const auto& grid, TileRange tiles) {
      const Tensor given = empty(kernel_.outputs);
      compiled::winograd_gradient(gradient.tensor(), grid, tiles, matrices(given), nullptr);
      compiled::winograd_spread(matrices(product(given, weights)), grid, tiles, given_.pad_y,
                                given_.pad_x, input.tensor());
    });
    return input.values();
  }

  void parameter_gradients(Tensor& weights, Tensor& bias) const {
    const auto [outputs, inputs, taps] = kernel_;
    const Blocked input(given_.input, format_, type_), gradient(given_.gradient, format_, type_);
    const Tensor sums = torch::zeros({products_, filled_, outputs});
    bias = torch::zeros({outputs});
    for_each_block(gradient.tensor(), [&](const auto& grid, TileRange tiles) {
      const Tensor seen = empty(filled_), given = empty(outputs);
      compiled::winograd_input(input.tensor(), grid, tiles, given_.pad_y, given_.pad_x,
                               matrices(seen));
      compiled::winograd_gradient(gradient.tensor(), grid, tiles, matrices(given),
                                  bias.data_ptr<float>());
      sums.add_(
          product(seen.narrow(1, 0, tiles.count).transpose(1, 2), given.narrow(1, 0, tiles.count)));
    });
    weights = torch::full({outputs, inputs, taps, taps}, NAN);
    compiled::winograd_weight_gradient(sums.data_ptr<float>(), {outputs, filled_, taps}, inputs,
                                       weights.data_ptr<float>());
  }

 private:
  Tensor empty(std::int64_t channels) const {
    return torch::full({products_, at_once_, channels}, NAN, dtype());
  }
  torch::Dtype dtype() const {
    return tiles_ == NumberType::bf16 ? torch::kBFloat16 : torch::kFloat32;
  }
  static TileMatrices matrices(const Tensor& tensor) {
    const bool half = tensor.scalar_type() == torch::kBFloat16;
    return {tensor.data_ptr(), tensor.size(2), tensor.stride(0),
            half ? NumberType::bf16 : NumberType::f32};
  }
  static Tensor product(const Tensor& a, const Tensor& b) {
    return a.to(torch::kFloat32).bmm(b.to(torch::kFloat32));
  }

  Tensor weights() const {
    const Tensor made = torch::full({products_, filled_, kernel_.outputs}, NAN, dtype());
    const auto* const from = given_.weights.data_ptr<float>();
    tiles_ == NumberType::bf16
        ? compiled::winograd_weights(from, kernel_,
                                     static_cast<compiled::BFloat16*>(made.data_ptr()))
        : compiled::winograd_weights(from, kernel_, made.data_ptr<float>());
    // Whatever numbers the channels have that fill up the input.
    EXPECT_EQ(made.narrow(1, kernel_.inputs, filled_ - kernel_.inputs).count_nonzero().item<int>(),
              0);
    return made;
  }

  Tensor transposed_weights() const {
    if (tiles_ == NumberType::bf16) return weights().transpose(1, 2);
    const Tensor made = torch::full({products_, kernel_.outputs, filled_}, NAN);
    compiled::winograd_transposed_weights(given_.weights.data_ptr<float>(), kernel_,
                                          made.data_ptr<float>());
    EXPECT_TRUE(torch::equal(made, weights().transpose(1, 2)));
    return made;
  }

  template <typename Work>
  void for_each_block(const compiled::Tensor& tiled, const Work& work, bool turned = false) const {
    const compiled::WinogradTiles grid{tiled.shape.height, tiled.shape.width, kernel_.taps, turned};
    const std::int64_t tiles = tiled.batch * grid.per_image();
    for (std::int64_t first = 0; first < tiles; first += at_once_) {
      work(grid, TileRange{first, std::min(at_once_, tiles - first)});
    }
  }

  Tensor convolve(const Tensor& from, const Tensor& weights, const std::vector<std::int64_t>& sizes,
                  std::int64_t pad_y, std::int64_t pad_x, const float* bias, bool turned) const {
    const Blocked input(from, format_, type_), result(torch::full(sizes, NAN), format_, type_);
    const auto work = [&](const auto& grid, TileRange tiles) {
      const Tensor seen = empty(compiled::filled_channels(from.size(1)));
      compiled::winograd_input(input.tensor(), grid, tiles, pad_y, pad_x, matrices(seen));
      compiled::winograd_result(matrices(product(seen, weights)), grid, tiles, bias, nullptr,
                                result.tensor());
    };
    for_each_block(result.tensor(), work, turned);
    EXPECT_TRUE(result.is_padded_with_zeros());
    return result.values();
  }

  const Given& given_;
  WinogradKernel kernel_;
  std::int64_t filled_, products_;
  Format format_;
  NumberType type_, tiles_;
  std::int64_t at_once_;
};

void expect_equals_double(const Given& given, Format format, Numbers numbers) {
  const double allowed =
      numbers.tiles == NumberType::bf16 ? kAllowedErrorInBf16 : allowed_error(given);
  const Results expected = in_double(given);
  const ByTiles tiles(given, format, numbers, /*at_once=*/7);
  Tensor weights, bias;
  tiles.parameter_gradients(weights, bias);
  const double in_memory =
      numbers.images == NumberType::bf16 ? 0x1p-8 : 0;  // results are rounded to it
  EXPECT_LT(error(tiles.result(), expected.result), allowed + in_memory);
  EXPECT_LT(error(tiles.input_gradient(), expected.input_gradient), allowed + in_memory);
  EXPECT_LT(error(tiles.spread_gradient(), expected.input_gradient), allowed);
  EXPECT_LT(error(weights, expected.weight_gradient), allowed);
  EXPECT_LT(error(bias, expected.bias_gradient), allowed_error(given));
}

constexpr Numbers kFloats{NumberType::f32, NumberType::f32};
constexpr Numbers kHalfImages{NumberType::bf16, NumberType::f32};
constexpr Numbers kHalves{NumberType::bf16, NumberType::bf16};

/// What kernels of so many taps are planned with.
std::vector<Numbers> numbers_for(std::int64_t taps) {
  if (taps == 3) return {kFloats, kHalfImages, kHalves};
  return {kFloats, kHalfImages};
}

class WinogradKernels : public testing::TestWithParam<std::int64_t> {};
INSTANTIATE_TEST_SUITE_P(Taps, WinogradKernels, testing::Values(3, 5));

TEST_P(WinogradKernels, EqualDoublePrecision) {
  const std::int64_t taps = GetParam();
  torch::manual_seed(1);
  for (const auto format : {Format::kChannelsLast, Format::kBlocks16}) {
    for (const Numbers& numbers : numbers_for(taps)) {
      for (const auto& [height, width] : {std::pair{8, 8}, {3, 3}, {7, 10}, {1, 5}, {13, 4}}) {
        for (const auto& [pad_y, pad_x] : {std::pair{1, 1}, {0, 0}, {2, 1}, {0, 2}, {4, 3}}) {
          if (height + 2 * pad_y < taps || width + 2 * pad_x < taps) continue;
          if (pad_y >= taps || pad_x >= taps) continue;
          SCOPED_TRACE(fmt::format("format {}, numbers {} {}, {}x{}, padding {} {}",
                                   static_cast<int>(format), static_cast<int>(numbers.images),
                                   static_cast<int>(numbers.tiles), height, width, pad_y, pad_x));
          expect_equals_double(draw({3, 32, height, width}, 48, taps, pad_y, pad_x), format,
                               numbers);
        }
      }
    }
  }
}

TEST_P(WinogradKernels, EqualDoublePrecisionOfChannelsThatAreFilledUp) {
  const std::int64_t taps = GetParam();
  torch::manual_seed(4);
  for (const std::int64_t inputs : {5, 24, 47}) {
    for (const Numbers& numbers : numbers_for(taps)) {
      SCOPED_TRACE(inputs);
      expect_equals_double(draw({3, inputs, 7, 10}, 80, taps, 1, 1), Format::kBlocks16, numbers);
    }
  }
}

// As docs/performance.md says.
TEST_P(WinogradKernels, RoundLittleWithManyChannels) {
  const std::int64_t taps = GetParam();
  torch::manual_seed(2);
  for (const auto& [channels, side] : {std::pair{64, 32}, {256, 8}, {512, 4}}) {
    SCOPED_TRACE(fmt::format("{} channels, {}x{}", channels, side, side));
    const Given given = draw({8, channels, side, side}, 64, taps, taps / 2, taps / 2);
    for (const Numbers& numbers : numbers_for(taps)) {
      expect_equals_double(given, Format::kBlocks16, numbers);
    }
  }
}

TEST(WinogradKernel, AppliesLeakyRelu) {
  torch::manual_seed(3);
  const Tensor products = torch::randn({compiled::winograd_products(3), 4, 16});
  const auto result_with = [&](const float* slope) {
    const Blocked result(torch::full({1, 16, 8, 8}, NAN), Format::kChannelsLast, NumberType::f32);
    compiled::winograd_result({products.data_ptr<float>(), 16, products.stride(0)}, {8, 8, 3},
                              {0, 4}, nullptr, slope, result.tensor());
    return result.values();
  };
  const float slope = 0.25F;
  EXPECT_TRUE(torch::equal(result_with(&slope), torch::leaky_relu(result_with(nullptr), slope)));
}

}  // namespace
}  // namespace yoke::test
