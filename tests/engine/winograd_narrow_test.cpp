// tests/engine/winograd_narrow_test.cpp: convolutions of grey and coloured images by Winograd's
// tiles are what LibTorch's loops in fp64 say.
#include "yoke/engine/compiled/kernels/winograd_narrow.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "tests/engine/convolved.h"

namespace yoke::test {
namespace {

using compiled::Format, compiled::NarrowTiles, compiled::WinogradKernel;
using torch::Tensor;

/// The kernels, one after the other.
class InRegisters {
 public:
  InRegisters(const Given& given, Format format, NumberType type)
      : given_(given),
        kernel_{given.weights.size(0), given.weights.size(1), given.weights.size(2)},
        format_(format),
        type_(type),
        tiles_{{given.gradient.size(2), given.gradient.size(3), kernel_.taps},
               kernel_.inputs,
               nullptr} {
    const Blocked input(given.input, Format::kPlain, type);
    const std::int64_t images = given.input.size(0);
    const Tensor frames = torch::full({tiles_.frame_floats(images)}, NAN);
    seen_ = torch::full({tiles_.floats(images)}, NAN);
    tiles_.data = seen_.data_ptr<float>();
    compiled::winograd_narrow_input(input.tensor(), given.pad_y, given.pad_x,
                                    frames.data_ptr<float>(), tiles_);
  }

  Tensor result(const float* slope) const {
    const Tensor weights = torch::full({matrices()}, NAN);
    compiled::winograd_blocked_weights(given_.weights.data_ptr<float>(), kernel_,
                                       weights.data_ptr<float>());
    const Blocked result(torch::full(given_.gradient.sizes(), NAN), format_, type_);
    compiled::winograd_narrow_result(tiles_, weights.data_ptr<float>(),
                                     given_.bias.data_ptr<float>(), slope, result.tensor());
    return result.values();
  }

  void parameter_gradients(Tensor& weights, Tensor& bias) const {
    const Blocked gradient(given_.gradient, format_, type_);
    const Tensor sums = torch::zeros({matrices()});
    bias = torch::zeros({kernel_.outputs});
    compiled::winograd_narrow_gradient(tiles_, gradient.tensor(), sums.data_ptr<float>(),
                                       bias.data_ptr<float>());
    weights = torch::full(given_.weights.sizes(), NAN);
    compiled::winograd_blocked_weight_gradient(sums.data_ptr<float>(), kernel_,
                                               weights.data_ptr<float>());
  }

 private:
  std::int64_t matrices() const { return kernel_.outputs * tiles_.floats_of_tile(); }

  const Given& given_;
  WinogradKernel kernel_;
  Format format_;
  NumberType type_;
  NarrowTiles tiles_;
  Tensor seen_;
};

void expect_equals_double(const Given& given, Format format, NumberType type) {
  const double allowed = allowed_error(given);
  const double in_memory = type == NumberType::bf16 ? 0x1p-8 : 0;  // results are rounded to it
  const Results expected = in_double(given);
  const InRegisters kernels(given, format, type);
  Tensor weights, bias;
  kernels.parameter_gradients(weights, bias);
  EXPECT_LT(error(kernels.result(nullptr), expected.result), allowed + in_memory);
  EXPECT_LT(error(weights, expected.weight_gradient), allowed);
  EXPECT_LT(error(bias, expected.bias_gradient), allowed);
  const float slope = 0.25F;
  EXPECT_LT(error(kernels.result(&slope), torch::leaky_relu(expected.result, slope)),
            allowed + in_memory);
}

/// Channels of the input, and the kernel's side.
class WinogradInRegisters : public testing::TestWithParam<std::tuple<std::int64_t, std::int64_t>> {
};
INSTANTIATE_TEST_SUITE_P(Kinds, WinogradInRegisters,
                         testing::Combine(testing::Values(1, 3), testing::Values(3, 5)));

// Of one tile, of as many as lanes, and of more; images in the middle of sixteen tiles.
TEST_P(WinogradInRegisters, EqualsDoublePrecision) {
  const auto [channels, taps] = GetParam();
  torch::manual_seed(1);
  for (const auto format : {Format::kChannelsLast, Format::kBlocks16}) {
    for (const NumberType type : {NumberType::f32, NumberType::bf16}) {
      for (const auto& [height, width] : {std::pair{8, 8}, {5, 3}, {7, 10}, {1, 5}, {9, 17}}) {
        for (const auto& [pad_y, pad_x] : {std::pair{1, 1}, {0, 0}, {2, 1}, {4, 3}}) {
          if (height + 2 * pad_y < taps || width + 2 * pad_x < taps) continue;
          if (pad_y >= taps || pad_x >= taps) continue;
          SCOPED_TRACE(fmt::format("format {}, {}, {}x{}, padding {} {}", static_cast<int>(format),
                                   type == NumberType::bf16 ? "bf16" : "fp32", height, width, pad_y,
                                   pad_x));
          expect_equals_double(draw({3, channels, height, width}, 48, taps, pad_y, pad_x), format,
                               type);
        }
      }
    }
  }
}

}  // namespace
}  // namespace yoke::test
