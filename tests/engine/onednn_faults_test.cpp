// tests/engine/onednn_faults_test.cpp: convolutions that oneDNN computes wrongly on its own.
#include "yoke/engine/compiled/onednn_faults.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include "tests/engine/compare.h"
#include "tests/engine/trained.h"

namespace yoke::test {
namespace {

using torch::Tensor;
using torch::nn::Conv2d, torch::nn::Conv2dOptions, torch::nn::Linear;

/// A convolution with `options` of images of `in`, between layers that learn; `activation` follows
/// it.
Model with_convolution(const Conv2dOptions& options, const ImageShape& in,
                       Tensor (*activation)(const Tensor&) = torch::tanh) {
  return model_of({2, in.height, in.width}, [&](torch::nn::Module& module) {
    auto first = module.register_module("first", Conv2d(Conv2dOptions(2, in.channels, 1)));
    auto tested = module.register_module("tested", Conv2d(options));
    auto last = module.register_module("last", Linear(options.out_channels(), 10));
    return [=](Tensor x) mutable {
      x = tested->forward(torch::tanh(first->forward(x)));
      return last->forward(torch::adaptive_avg_pool2d(activation(x), {1, 1}).flatten(1));
    };
  });
}

/// Expects that it equals the eager one in bf16, and that nothing called `faulty` computes it.
void expect_right(const Conv2dOptions& options, const ImageShape& in, const std::string& faulty) {
  if (const auto why = why_not(Precision::kBf16); !why.empty()) GTEST_SKIP() << why;
  const auto make = [&] { return with_convolution(options, in); };
  compare_with_eager(make, {.batch = 17, .precision = Precision::kBf16, .slack = 4});
  Compiled compiled(make(), {.precision = Precision::kBf16});
  for (const StepCost& step : compiled.engine->profile(random_batch(compiled.model, 17), 1)) {
    if (step.layer != "tested") continue;
    EXPECT_THAT(step.operation, testing::Not(testing::HasSubstr(faulty)));
  }
}

TEST(OnednnFaults, AreNotMetByDilatedWindows) {
  expect_right(Conv2dOptions(33, 4, 3).dilation(2).padding(2), {33, 13, 10},
               "weight gradient (jit:avx512_core_amx");
}

TEST(OnednnFaults, AreNotMetByImagesNarrowerThanAStride) {
  expect_right(Conv2dOptions(16, 33, {1, 3}).stride({1, 3}).padding({0, 1}), {16, 2, 2},
               "weight gradient (jit");
}

TEST(OnednnFaults, AreNotMetByWindowsThatLeaveOutPixels) {
  expect_right(Conv2dOptions(33, 33, {2, 1}).stride({3, 5}), {33, 5, 12},
               "brgconv:avx512_core_amx");
}

TEST(OnednnFaults, AreNotMetByWindowsWithoutPixels) {
  compare_with_eager(
      [] {
        auto options = Conv2dOptions(3, 17, 1).stride({1, 2}).padding({3, 1}).dilation({1, 2});
        return with_convolution(options.bias(false), {3, 2, 1}, torch::relu);
      },
      {.batch = 17});
}

TEST(OnednnFaults, AreNamedForTheseShapesOnly) {
  const auto images = [](std::int64_t channels, std::int64_t width) {
    return dnnl::memory::desc({17, channels, 9, width}, dnnl::memory::data_type::bf16,
                              dnnl::memory::format_tag::nchw);
  };
  const auto weights = [](std::int64_t channels, std::int64_t width) {
    return dnnl::memory::desc({5, channels, 3, width}, dnnl::memory::data_type::bf16,
                              dnnl::memory::format_tag::oihw);
  };
  const auto windows = [](std::int64_t stride, std::int64_t dilation) {
    return onednn::Windows{{1, stride}, {dilation - 1, 0}, {0, 0}, {0, 0}};
  };
  const auto forward = [&](std::int64_t channels, std::int64_t width,
                           const onednn::Windows& of_it) {
    return onednn::faulty_forward(images(channels, width), weights(channels, 3), of_it);
  };
  EXPECT_THAT(forward(34, 9, windows(2, 2)), testing::IsEmpty());
  EXPECT_THAT(forward(33, 9, windows(2, 2)), testing::ElementsAre("jit_bf16_1x1"));
  EXPECT_THAT(forward(34, 9, windows(3, 1)), testing::ElementsAre("brg_conv_fwd:avx10_1_512_amx"));
  EXPECT_THAT(forward(34, 9, windows(4, 1)),
              testing::ElementsAre("brgconv:avx512_core_amx", "brg_conv_fwd:avx10_1_512_amx"));
  EXPECT_THAT(forward(34, 4, windows(2, 1)), testing::ElementsAre("brg_conv_fwd"));
  EXPECT_THAT(forward(34, 5, windows(2, 1)), testing::IsEmpty());
  const onednn::Windows padded{{1, 1}, {0, 0}, {0, 2}, {0, 2}};
  const onednn::Windows beyond_left{{1, 1}, {0, 0}, {0, 3}, {0, 0}};
  const onednn::Windows beyond_below{{1, 1}, {0, 0}, {0, 0}, {3, 0}};
  const onednn::Windows around{{1, 1}, {0, 2}, {0, 2}, {0, 4}};  // one pixel between two taps
  EXPECT_THAT(forward(34, 9, padded), testing::IsEmpty());
  EXPECT_THAT(forward(34, 9, beyond_left), testing::ElementsAre("brgconv", "brg_conv_fwd"));
  EXPECT_THAT(forward(34, 9, beyond_below), testing::ElementsAre("brgconv", "brg_conv_fwd"));
  EXPECT_THAT(forward(34, 1, around), testing::ElementsAre("brgconv", "brg_conv_fwd"));
  const auto data = [&](std::int64_t results, const onednn::Windows& of_it) {
    const dnnl::memory::desc kernel({results, 34, 3, 3}, dnnl::memory::data_type::bf16,
                                    dnnl::memory::format_tag::oihw);
    return onednn::faulty_data_gradient(images(34, 9), kernel, of_it);
  };
  EXPECT_THAT(data(6, padded), testing::IsEmpty());
  EXPECT_THAT(data(5, padded), testing::ElementsAre("jit_bf16_1x1"));
  EXPECT_THAT(data(6, beyond_left), testing::ElementsAre("brg_conv_bwd"));
  const auto gradient = [&](std::int64_t channels, std::int64_t width, std::int64_t stride,
                            std::int64_t dilation) {
    return onednn::faulty_weight_gradient(images(channels, width), weights(channels, 3),
                                          windows(stride, dilation));
  };
  EXPECT_THAT(gradient(33, 9, 2, 1), testing::IsEmpty());
  EXPECT_THAT(gradient(32, 9, 1, 2), testing::IsEmpty());
  EXPECT_THAT(gradient(33, 9, 1, 2), testing::ElementsAre("amx", "bf16"));
  EXPECT_THAT(gradient(32, 2, 3, 1), testing::ElementsAre("amx", "bf16"));
  EXPECT_THAT(gradient(7, 9, 2, 1), testing::ElementsAre("jit_1x1:avx2"));
}

}  // namespace
}  // namespace yoke::test
