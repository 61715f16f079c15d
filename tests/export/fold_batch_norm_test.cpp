#include "yoke/export/fold_batch_norm.h"

#include <gtest/gtest.h>
#include <torch/csrc/jit/runtime/interpreter.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>
#include <torch/utils.h>

#include <functional>

namespace yoke {
namespace {

using torch::nn::BatchNorm2d, torch::nn::BatchNorm2dOptions, torch::nn::Conv2d,
    torch::nn::Conv2dOptions;
using Forward = std::function<torch::Tensor(Conv2d, BatchNorm2d, torch::Tensor)>;

/// A convolution and a batch norm of 4 channels, whose statistics are not those it begins with.
struct PairImpl final : torch::nn::Module {
  PairImpl(bool bias, bool affine, Forward forward, std::int64_t groups)
      : conv(register_module("conv",
                             Conv2d(Conv2dOptions(4, 4, 3).padding(1).bias(bias).groups(groups)))),
        bn(register_module("bn", BatchNorm2d(BatchNorm2dOptions(4).affine(affine)))),
        forward_(std::move(forward)) {
    const torch::NoGradGuard no_grad;
    for (auto& parameter : bn->parameters()) parameter.uniform_(-2, 2);
    bn->running_mean.uniform_(-1, 1);
    bn->running_var.uniform_(0.1, 3);
  }
  torch::Tensor forward(torch::Tensor x) { return forward_(conv, bn, std::move(x)); }

  Conv2d conv;
  BatchNorm2d bn;

 private:
  Forward forward_;
};
TORCH_MODULE(Pair);

torch::Tensor run(const InferenceGraph& inference, const torch::Tensor& images) {
  torch::jit::Stack stack = {images};
  for (const auto& tensor : inference.tensors) stack.emplace_back(tensor.values);
  torch::jit::InterpreterState(torch::jit::Code(inference.graph, "folded")).run(stack);
  return stack.front().toTensor();
}

/// Folds, looks that the results stay, and returns how many were folded.
int folded(bool bias, bool affine, const Forward& forward, std::int64_t groups = 1) {
  torch::manual_seed(1);
  const Model model = wrap_module(Pair(bias, affine, forward, groups), {4, 5, 5});
  InferenceGraph inference = inference_graph(model);
  const auto images = torch::randn({7, 4, 5, 5});
  const auto before = run(inference, images);
  const int count = fold_batch_norms(inference);
  // Sums of 36 products, whose factors were rounded once more.
  EXPECT_TRUE(torch::allclose(run(inference, images), before, 1e-4, 1e-4));
  return count;
}

TEST(FoldBatchNorm, GivesTheSameResults) {
  const Forward forward = [](auto conv, auto bn, auto x) { return bn(conv(x)).relu(); };
  for (const bool bias : {false, true}) {
    for (const bool affine : {false, true}) EXPECT_EQ(folded(bias, affine, forward), 1);
  }
}

TEST(FoldBatchNorm, TakesConvolutionsOfSingleChannels) {
  const Forward forward = [](auto conv, auto bn, auto x) { return torch::silu(bn(conv(x))); };
  for (const std::int64_t groups : {2, 4}) {
    for (const bool bias : {false, true}) EXPECT_EQ(folded(bias, true, forward, groups), 1);
  }
}

TEST(FoldBatchNorm, TakesOneThatIsConcatenatedLater) {
  EXPECT_EQ(folded(false, true,
                   [](auto conv, auto bn, auto x) {
                     const auto y = torch::relu(bn(conv(x)));
                     return torch::cat({x, y, torch::cat({x, y}, 1)}, 1);
                   }),
            1);
}

TEST(FoldBatchNorm, LeavesThoseOfConcatenatedChannels) {
  EXPECT_EQ(folded(true, true,
                   [](auto conv, auto bn, auto x) {
                     const auto y = conv(x);
                     return bn(torch::cat({x.slice(1, 0, 2), y.slice(1, 0, 2)}, 1));
                   }),
            0);
  EXPECT_EQ(folded(true, true,
                   [](auto conv, auto bn, auto x) {
                     const auto y = conv(x);  // as of a dense block: normalised, and handed on
                     return torch::cat({y, bn(y)}, 1);
                   }),
            0);
}

TEST(FoldBatchNorm, LeavesWhatIsOfUseElsewhere) {
  EXPECT_EQ(folded(true, true,
                   [](auto conv, auto bn, auto x) {
                     const auto y = conv(x);
                     return bn(y) + y;
                   }),
            0);
  EXPECT_EQ(folded(true, true, [](auto conv, auto bn, auto x) { return bn(conv(conv(x))); }), 0)
      << "the weights are those of another convolution too";
  EXPECT_EQ(folded(true, true,
                   [](auto conv, auto bn, auto x) {
                     return bn(conv(x)) + conv->bias.view({1, 4, 1, 1});
                   }),
            0);
  EXPECT_EQ(folded(true, true, [](auto conv, auto bn, auto x) { return conv(bn(x)); }), 0);
  EXPECT_EQ(folded(true, true, [](auto conv, auto bn, auto x) { return bn(conv(x).relu()); }), 0);
}

}  // namespace
}  // namespace yoke
