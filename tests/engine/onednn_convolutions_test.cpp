// tests/engine/onednn_convolutions_test.cpp: convolutions of shapes that nobody thought of are what
// LibTorch's loops in fp64 say, whichever of oneDNN's implementations computes them here.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <torch/autograd.h>
#include <torch/utils.h>

#include "tests/engine/draw.h"
#include "tests/engine/primitives.h"
#include "tests/support/support.h"
#include "yoke/core/random.h"
#include "yoke/engine/precision.h"

namespace yoke::test {
namespace {

using dnnl::memory;
using torch::Tensor;

/// What a convolution is computed from; all numbers are bf16's.
struct Given {
  Tensor images, weights, gradient;  ///< [N, I, H, W], [O, I / G, H, W] and [N, O, H, W], fp64
  std::int64_t groups = 1;
  onednn::Windows windows;

  Given absolute() const { return {images.abs(), weights.abs(), gradient.abs(), groups, windows}; }
  std::string text() const {
    return fmt::format("images {}, weights {}, {} groups, strides {}, dilation {}, padding {} {}",
                       images.sizes().vec(), weights.sizes().vec(), groups, windows.strides,
                       windows.dilation, windows.padding_left, windows.padding_right);
  }
};

struct Results {
  Tensor forward, data_gradient, weight_gradient;
};

Given draw(std::uint64_t seed) {
  RandomStream random(seed, 0, 0, Purpose::kTest);
  const auto between = [&](std::int64_t least, std::int64_t most) {
    return draw_between(random, least, most);
  };
  const auto channels = [&] { return between(0, 1) == 0 ? 16 * between(1, 3) : between(1, 40); };
  const auto groups = between(0, 2) > 0 ? 1 : between(2, 4);
  Given given;
  given.groups = groups;
  auto& [strides, dilation, left, right] = given.windows;
  memory::dims images{between(1, 4), groups * channels()}, weights{channels(), images[1] / groups};
  weights[0] *= groups;
  memory::dims results{images[0], weights[0]};
  for (std::size_t i = 0; i < 2; ++i) {
    std::int64_t size = 0, kernel = 0, room = -1;
    while (room < 0) {
      size = between(1, between(0, 3) > 0 ? 12 : 50), kernel = between(1, 4);
      strides.resize(i), strides.push_back(between(0, 1) == 0 ? 1 : between(2, 4));
      dilation.resize(i), dilation.push_back(between(0, 1) == 0 ? 0 : between(1, 2));
      left.resize(i), left.push_back(between(0, 1) == 0 ? 0 : between(1, 3));
      right.resize(i), right.push_back(between(0, 3) > 0 ? left[i] : between(0, 3));
      room = size + left[i] + right[i] - (kernel - 1) * (dilation[i] + 1) - 1;
    }
    images.push_back(size), weights.push_back(kernel), results.push_back(room / strides[i] + 1);
  }
  torch::manual_seed(seed);
  given.images = bf16_noise(images), given.weights = bf16_noise(weights),
  given.gradient = bf16_noise(results);
  return given;
}

Results by_loops(const Given& given) {
  const auto& [strides, dilation, left, right] = given.windows;
  const auto images = given.images.detach().clone().requires_grad_();
  const auto weights = given.weights.detach().clone().requires_grad_();
  const auto padded = torch::constant_pad_nd(images, {left[1], right[1], left[0], right[0]});
  const memory::dims steps{dilation[0] + 1, dilation[1] + 1}, no_padding{0, 0};
  const auto forward = torch::conv2d(padded, weights, {}, strides, no_padding, steps, given.groups);
  const auto gradients = torch::autograd::grad({forward}, {images, weights}, {given.gradient});
  return {forward.detach(), gradients[0], gradients[1]};
}

/// The convolution as the compiled engine describes it.
class Described {
 public:
  Described(const Given& given, memory::data_type type, memory::format_tag format)
      : given_(given),
        images_(given.images.sizes().vec(), type, format),
        weights_(kernel().sizes().vec(), type, memory::format_tag::any),
        results_(given.gradient.sizes().vec(), type, format),
        forward_(onednn::convolution_forward(primitives_.engine(), true, images_, weights_, {},
                                             results_, given.windows, nullptr)),
        data_(onednn::convolution_backward_data(primitives_.engine(), images_, weights_, results_,
                                                given.windows, forward_)),
        weight_(onednn::convolution_backward_weights(
            primitives_.engine(), images_,
            {kernel().sizes().vec(), memory::data_type::f32, memory::format_tag::any}, {}, results_,
            given.windows, forward_)) {}

  Results compute() {
    return {primitives_.run(dnnl::convolution_forward(forward_), forward_.scratchpad_desc(),
                            {{DNNL_ARG_SRC, holding(given_.images, forward_.src_desc())},
                             {DNNL_ARG_WEIGHTS, holding(kernel(), forward_.weights_desc())}},
                            DNNL_ARG_DST, forward_.dst_desc()),
            primitives_.run(dnnl::convolution_backward_data(data_), data_.scratchpad_desc(),
                            {{DNNL_ARG_DIFF_DST, holding(given_.gradient, data_.diff_dst_desc())},
                             {DNNL_ARG_WEIGHTS, holding(kernel(), data_.weights_desc())}},
                            DNNL_ARG_DIFF_SRC, data_.diff_src_desc()),
            primitives_
                .run(dnnl::convolution_backward_weights(weight_), weight_.scratchpad_desc(),
                     {{DNNL_ARG_SRC, holding(given_.images, weight_.src_desc())},
                      {DNNL_ARG_DIFF_DST, holding(given_.gradient, weight_.diff_dst_desc())}},
                     DNNL_ARG_DIFF_WEIGHTS, weight_.diff_weights_desc())
                .view(given_.weights.sizes())};
  }

  std::string text() const {
    return fmt::format("{}, {}, {}: {}", forward_.impl_info_str(), data_.impl_info_str(),
                       weight_.impl_info_str(), given_.text());
  }

 private:
  memory holding(const Tensor& values, const memory::desc& wanted) {
    return primitives_.holding(values, wanted);
  }
  Tensor kernel() const {
    if (given_.groups == 1) return given_.weights;
    return given_.weights.unflatten(0, {given_.groups, given_.weights.size(0) / given_.groups});
  }

  Primitives primitives_;
  const Given& given_;
  memory::desc images_, weights_, results_;
  dnnl::convolution_forward::primitive_desc forward_;
  dnnl::convolution_backward_data::primitive_desc data_;
  dnnl::convolution_backward_weights::primitive_desc weight_;
};

void compare_convolutions(memory::data_type type) {
  const int count = long_tests() ? 10000 : 300;
  for (int seed = 0; seed < count; ++seed) {
    const auto given = draw(seed);
    const auto expected = by_loops(given), magnitude = by_loops(given.absolute());
    for (const auto format : {memory::format_tag::any, memory::format_tag::nhwc}) {
      Described described(given, type, format);
      SCOPED_TRACE(fmt::format("seed {}: {}", seed, described.text()));
      const auto [forward, data_gradient, weight_gradient] = described.compute();
      EXPECT_TRUE(is_near(forward, expected.forward, magnitude.forward));
      EXPECT_TRUE(is_near(data_gradient, expected.data_gradient, magnitude.data_gradient));
      EXPECT_TRUE(is_near(weight_gradient, expected.weight_gradient, magnitude.weight_gradient));
    }
  }
}

TEST(OnednnConvolutions, OfRandomShapesAreWhatLoopsSay) {
  compare_convolutions(memory::data_type::f32);
}

TEST(OnednnConvolutions, OfRandomShapesAreWhatLoopsSayInBf16) {
  if (const auto why = why_not(Precision::kBf16); !why.empty()) GTEST_SKIP() << why;
  compare_convolutions(memory::data_type::bf16);
}

}  // namespace
}  // namespace yoke::test
