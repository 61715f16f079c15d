// tests/engine/onednn_convolutions_test.cpp: convolutions of shapes that nobody thought of are what
// LibTorch's loops in fp64 say, whichever of oneDNN's implementations computes them here.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <torch/autograd.h>
#include <torch/utils.h>

#include <cstring>

#include "tests/support/support.h"
#include "yoke/core/random.h"
#include "yoke/engine/compiled/onednn.h"
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

Tensor noise(const memory::dims& sizes) {
  return torch::randn(sizes).to(torch::kBFloat16).to(torch::kFloat64);
}

Given draw(std::uint64_t seed) {
  RandomStream random(seed, 0, 0, Purpose::kTest);
  const auto between = [&](std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(random.below(most - least + 1));
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
  given.images = noise(images), given.weights = noise(weights), given.gradient = noise(results);
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
  Described(const Given& given, memory::data_type type, bool channels_last)
      : given_(given), type_(type), channels_last_(channels_last) {}

  Results compute() {
    const auto images = activation(given_.images), results = activation(given_.gradient);
    const auto weights = any(weight_sizes(), type_);
    const auto forward = onednn::convolution_forward(engine_, true, images, weights, {}, results,
                                                     given_.windows, nullptr);
    const auto data = onednn::convolution_backward_data(engine_, images, weights, results,
                                                        given_.windows, forward);
    const auto weight = onednn::convolution_backward_weights(
        engine_, images, any(weight_sizes(), memory::data_type::f32), {}, results, given_.windows,
        forward);
    names_ = fmt::format("{}, {}, {}", forward.impl_info_str(), data.impl_info_str(),
                         weight.impl_info_str());
    const auto from = [&](const Tensor& values, const memory::desc& wanted) {
      return reordered(values, wanted);
    };
    const auto gradient_sizes = given_.gradient.sizes().vec();
    return {run(dnnl::convolution_forward(forward), forward.scratchpad_desc(),
                {{DNNL_ARG_SRC, from(given_.images, forward.src_desc())},
                 {DNNL_ARG_WEIGHTS, from(kernel(), forward.weights_desc())}},
                {DNNL_ARG_DST, forward.dst_desc()}, gradient_sizes),
            run(dnnl::convolution_backward_data(data), data.scratchpad_desc(),
                {{DNNL_ARG_DIFF_DST, from(given_.gradient, data.diff_dst_desc())},
                 {DNNL_ARG_WEIGHTS, from(kernel(), data.weights_desc())}},
                {DNNL_ARG_DIFF_SRC, data.diff_src_desc()}, given_.images.sizes().vec()),
            run(dnnl::convolution_backward_weights(weight), weight.scratchpad_desc(),
                {{DNNL_ARG_SRC, from(given_.images, weight.src_desc())},
                 {DNNL_ARG_DIFF_DST, from(given_.gradient, weight.diff_dst_desc())}},
                {DNNL_ARG_DIFF_WEIGHTS, weight.diff_weights_desc()}, weight_sizes())
                .view(given_.weights.sizes())};
  }

  const std::string& names() const { return names_; }

 private:
  static memory::desc any(const memory::dims& sizes, memory::data_type type) {
    return {sizes, type, memory::format_tag::any};
  }
  memory::desc activation(const Tensor& values) const {
    return {values.sizes().vec(), type_,
            channels_last_ ? memory::format_tag::nhwc : memory::format_tag::any};
  }
  memory::dims weight_sizes() const { return kernel().sizes().vec(); }
  Tensor kernel() const {
    if (given_.groups == 1) return given_.weights;
    return given_.weights.unflatten(0, {given_.groups, given_.weights.size(0) / given_.groups});
  }

  memory reordered(const Tensor& values, const memory::desc& wanted) {
    auto numbers = values.to(torch::kFloat32).contiguous();
    memory plain({numbers.sizes().vec(), memory::data_type::f32, numbers.strides().vec()}, engine_,
                 numbers.data_ptr());
    memory result(wanted, engine_);
    dnnl::reorder(plain, result).execute(stream_, plain, result);
    stream_.wait();
    return result;
  }

  Tensor run(const dnnl::primitive& primitive, const memory::desc& scratchpad,
             std::unordered_map<int, memory> arguments, const std::pair<int, memory::desc>& result,
             const memory::dims& sizes) {
    memory to(result.second, engine_);
    std::memset(to.get_data_handle(), 0x7f, result.second.get_size());  // shows what is left out
    arguments[result.first] = to;
    arguments[DNNL_ARG_SCRATCHPAD] = memory(scratchpad, engine_);
    primitive.execute(stream_, arguments);
    auto numbers = torch::empty(sizes);
    memory plain({sizes, memory::data_type::f32, numbers.strides().vec()}, engine_,
                 numbers.data_ptr());
    dnnl::reorder(to, plain).execute(stream_, to, plain);
    stream_.wait();
    return numbers.to(torch::kFloat64);
  }

  const Given& given_;
  memory::data_type type_;
  bool channels_last_;
  std::string names_;
  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
};

/// Within the rounding of a bf16 result, and of fp32 sums of `magnitude`.
void expect_near(const Tensor& actual, const Tensor& expected, const Tensor& magnitude,
                 const std::string& what) {
  const auto most = 0x1p-7 * expected.abs() + 1e-4 * magnitude;
  EXPECT_TRUE(((actual - expected).abs() <= most).all().item<bool>()) << what;
}

void compare_convolutions(memory::data_type type) {
  const int count = long_tests() ? 10000 : 300;
  for (int seed = 0; seed < count; ++seed) {
    const auto given = draw(seed);
    const auto expected = by_loops(given), magnitude = by_loops(given.absolute());
    for (const bool channels_last : {false, true}) {
      Described described(given, type, channels_last);
      const auto actual = described.compute();
      SCOPED_TRACE(fmt::format("seed {}: {}: {}", seed, described.names(), given.text()));
      expect_near(actual.forward, expected.forward, magnitude.forward, "forward");
      expect_near(actual.data_gradient, expected.data_gradient, magnitude.data_gradient,
                  "data gradient");
      expect_near(actual.weight_gradient, expected.weight_gradient, magnitude.weight_gradient,
                  "weight gradient");
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
