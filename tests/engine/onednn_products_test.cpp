// tests/engine/onednn_products_test.cpp: inner products and products of matrices of sizes that
// nobody thought of are what LibTorch's in fp64 are, whichever of oneDNN's implementations computes
// them.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "tests/engine/draw.h"
#include "tests/engine/primitives.h"
#include "tests/support/support.h"
#include "yoke/core/random.h"
#include "yoke/engine/compiled/memory/tensor.h"
#include "yoke/engine/precision.h"

namespace yoke::test {
namespace {

using compiled::Format;
using dnnl::memory;
using torch::Tensor;

class Draft {
 public:
  explicit Draft(std::uint64_t seed) : random_(seed, 0, 0, Purpose::kTest) {
    torch::manual_seed(seed);
  }
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return draw_between(random_, least, most);
  }
  /// Full blocks as often as not.
  std::int64_t channels() { return between(0, 1) == 0 ? 16 * between(1, 6) : between(1, 100); }

 private:
  RandomStream random_;
};

struct Given {
  Tensor images, weights, gradient;  ///< [N, C, H, W], [O, C, H, W] and [N, O], fp64

  Given absolute() const { return {images.abs(), weights.abs(), gradient.abs()}; }
};

struct Results {
  Tensor forward, data_gradient, weight_gradient;
};

Given draw(std::uint64_t seed) {
  Draft draft(seed);
  const auto batch = draft.between(1, 40), outputs = draft.channels();
  const std::vector<std::int64_t> features{draft.channels(), draft.between(1, 5),
                                           draft.between(1, 5)};
  const auto of = [&](std::int64_t first) {
    return bf16_noise({first, features[0], features[1], features[2]});
  };
  return {of(batch), of(outputs), bf16_noise({batch, outputs})};
}

Results by_loops(const Given& given) {
  const auto images = given.images.flatten(1), weights = given.weights.flatten(1);
  return {images.mm(weights.t()), given.gradient.mm(weights).view_as(given.images),
          given.gradient.t().mm(images).view_as(given.weights)};
}

/// A fully connected layer as the compiled engine describes it.
Results compute(const Given& given, memory::data_type type, Format format, std::string& names) {
  const ImageShape shape{given.images.size(1), given.images.size(2), given.images.size(3)};
  const auto images = compiled::describe(given.images.size(0), shape, format, type);
  const auto kernel = [&](memory::data_type of_it) {
    return memory::desc(given.weights.sizes().vec(), of_it, memory::format_tag::any);
  };
  const memory::desc results(given.gradient.sizes().vec(), type, memory::format_tag::nc);
  Primitives primitives;
  const auto forward = onednn::inner_product_forward(primitives.engine(), true, images,
                                                     kernel(type), {}, results, nullptr);
  const auto data = onednn::inner_product_backward_data(primitives.engine(), images, kernel(type),
                                                        results, forward);
  const auto weight = onednn::inner_product_backward_weights(
      primitives.engine(), images, kernel(memory::data_type::f32), {}, results, forward);
  names = fmt::format("{}, {}, {}", forward.impl_info_str(), data.impl_info_str(),
                      weight.impl_info_str());
  const auto from = [&](const Tensor& values, const memory::desc& wanted) {
    return primitives.holding(values, wanted);
  };
  return {primitives.run(dnnl::inner_product_forward(forward), forward.scratchpad_desc(),
                         {{DNNL_ARG_SRC, from(given.images, images)},
                          {DNNL_ARG_WEIGHTS, from(given.weights, forward.weights_desc())}},
                         DNNL_ARG_DST, results),
          primitives.run(dnnl::inner_product_backward_data(data), data.scratchpad_desc(),
                         {{DNNL_ARG_DIFF_DST, from(given.gradient, results)},
                          {DNNL_ARG_WEIGHTS, from(given.weights, data.weights_desc())}},
                         DNNL_ARG_DIFF_SRC, images),
          primitives.run(dnnl::inner_product_backward_weights(weight), weight.scratchpad_desc(),
                         {{DNNL_ARG_SRC, from(given.images, images)},
                          {DNNL_ARG_DIFF_DST, from(given.gradient, results)}},
                         DNNL_ARG_DIFF_WEIGHTS, weight.diff_weights_desc())};
}

int count() { return long_tests() ? 5000 : 200; }

void compare_inner_products(memory::data_type type) {
  for (int seed = 0; seed < count(); ++seed) {
    const auto given = draw(seed);
    const auto expected = by_loops(given), magnitude = by_loops(given.absolute());
    for (const auto format :
         {Format::kPlain, Format::kChannelsLast, Format::kBlocks8, Format::kBlocks16}) {
      std::string names;
      const auto actual = compute(given, type, format, names);
      SCOPED_TRACE(fmt::format("seed {}: {}: {} {}", seed, names, given.images.sizes().vec(),
                               given.weights.sizes().vec()));
      EXPECT_TRUE(is_near(actual.forward, expected.forward, magnitude.forward));
      EXPECT_TRUE(is_near(actual.data_gradient, expected.data_gradient, magnitude.data_gradient));
      EXPECT_TRUE(
          is_near(actual.weight_gradient, expected.weight_gradient, magnitude.weight_gradient));
    }
  }
}

TEST(OnednnInnerProducts, OfRandomSizesAreWhatLoopsSay) {
  compare_inner_products(memory::data_type::f32);
}

TEST(OnednnInnerProducts, OfRandomSizesAreWhatLoopsSayInBf16) {
  if (const auto why = why_not(Precision::kBf16); !why.empty()) GTEST_SKIP() << why;
  compare_inner_products(memory::data_type::bf16);
}

TEST(OnednnMatrices, OfRandomSizesAreWhatLoopsSayInBf16) {
  if (const auto why = why_not(Precision::kBf16); !why.empty()) GTEST_SKIP() << why;
  for (int seed = 0; seed < count(); ++seed) {
    Draft draft(seed);
    const auto rows = draft.between(1, 150), inner = draft.between(1, 1000);
    const auto columns = draft.channels();
    const auto a = bf16_noise({rows, inner}), b = bf16_noise({inner, columns});
    const auto described = [](const Tensor& matrix, memory::data_type type) {
      return memory::desc(matrix.sizes().vec(), type, memory::format_tag::ab);
    };
    const auto from = described(a, memory::data_type::bf16);
    const auto times = described(b, memory::data_type::bf16);
    const auto expected = a.mm(b);
    const auto product = described(expected, memory::data_type::f32);
    Primitives primitives;
    const auto matmul = onednn::matmul(primitives.engine(), from, times, product);
    const auto actual = primitives.run(dnnl::matmul(matmul), matmul.scratchpad_desc(),
                                       {{DNNL_ARG_SRC, primitives.holding(a, from)},
                                        {DNNL_ARG_WEIGHTS, primitives.holding(b, times)}},
                                       DNNL_ARG_DST, product);
    EXPECT_TRUE(is_near(actual, expected, a.abs().mm(b.abs()))) << fmt::format(
        "seed {}: {}: {} by {} by {}", seed, matmul.impl_info_str(), rows, inner, columns);
  }
}

}  // namespace
}  // namespace yoke::test
