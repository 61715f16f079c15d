// tests/engine/check_step_test.cpp: the compiled step is compared with LibTorch's before it is
// used.
#include <ATen/ops/tanh.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/library.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>

#include "tests/engine/trained.h"

namespace yoke::test {
namespace {

using testing::AllOf, testing::AnyOf, testing::HasSubstr, testing::ThrowsMessage;
using torch::Tensor;
using torch::nn::Conv2d, torch::nn::Conv2dOptions, torch::nn::Linear;

Tensor greater_tanh(const Tensor& x) {
  Tensor result = torch::empty_like(x);
  torch::tanh_out(result, x);
  return result.mul_(3);
}

Tensor opposite_gradient(const Tensor& gradient, const Tensor& output) {
  return gradient * (output * output - 1);
}

/// While it lives, LibTorch computes `name` of aten as `f` does: one of both is then wrong, and the
/// check cannot know which.
template <typename F>
torch::Library other_arithmetic(const char* name, F* f) {
  torch::Library library(torch::Library::IMPL, "aten", c10::DispatchKey::CPU, __FILE__, __LINE__);
  library.impl(name, f);
  return library;
}

/// Convolutions `first` and `second` with a tanh between them, and what is linear after a dropout.
Model model_with_tanh() {
  return model_of({3, 8, 8}, [](torch::nn::Module& module) {
    auto first = module.register_module("first", Conv2d(Conv2dOptions(3, 8, 3)));
    auto norm = module.register_module("norm", torch::nn::BatchNorm2d(8));
    auto second = module.register_module("second", Conv2d(Conv2dOptions(8, 4, 3)));
    auto dropout = module.register_module("dropout", torch::nn::Dropout(0.5));
    auto last = module.register_module("last", Linear(64, 10));
    return [=](Tensor x) mutable {
      x = torch::tanh(norm->forward(first->forward(x)));
      x = dropout->forward(torch::relu(second->forward(x)).flatten(1));
      return last->forward(x);
    };
  });
}

class CheckStep : public testing::TestWithParam<Precision> {
 protected:
  static void compile() { Compiled compiled(model_with_tanh(), {.precision = GetParam()}); }
  void SetUp() override {
    if (const auto why = why_not(GetParam()); !why.empty()) GTEST_SKIP() << why;
  }
};

TEST_P(CheckStep, LetsPassWhatDiffersByRounding) { EXPECT_NO_THROW(compile()); }

TEST_P(CheckStep, NamesTheLayerWhoseResultsDiffer) {
  const auto other = other_arithmetic("tanh", greater_tanh);
  EXPECT_THAT(compile, ThrowsMessage<UnsupportedModel>(
                           AllOf(HasSubstr("aten::tanh"), HasSubstr("differ by"))));
}

TEST_P(CheckStep, NamesTheParameterWhoseGradientDiffers) {
  const auto other = other_arithmetic("tanh_backward", opposite_gradient);
  EXPECT_THAT(compile, ThrowsMessage<UnsupportedModel>(AllOf(
                           AnyOf(HasSubstr("gradient of norm."), HasSubstr("gradient of first.")),
                           HasSubstr("autograd's"))));
}

INSTANTIATE_TEST_SUITE_P(Precisions, CheckStep,
                         testing::Values(Precision::kFp32, Precision::kBf16));

TEST(CheckedModel, IsLeftAsItWas) {
  Model model = model_with_tanh();
  std::vector<Tensor> before;
  for (const auto& buffer : model.module->buffers()) before.push_back(buffer.clone());
  torch::manual_seed(5);
  const Tensor expected = torch::rand({4});
  torch::manual_seed(5);
  const Compiled compiled(model);
  EXPECT_TRUE(torch::rand({4}).equal(expected));
  EXPECT_TRUE(model.module->is_training());
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_TRUE(model.module->buffers()[i].equal(before[i]));
  }
  for (const auto& parameter : model.module->parameters()) {
    EXPECT_FALSE(parameter.grad().defined() && parameter.grad().abs().sum().item<float>() > 0);
  }
}

}  // namespace
}  // namespace yoke::test
