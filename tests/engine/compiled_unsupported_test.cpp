// tests/engine/compiled_unsupported_test.cpp: what the compiled engine says of models it cannot
// run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include "tests/engine/trained.h"

namespace yoke::test {
namespace {

using testing::HasSubstr, testing::ThrowsMessage;
using torch::Tensor;
using torch::nn::Conv2d, torch::nn::Conv2dOptions, torch::nn::Linear;

/// `f` of an image of 2x4x4, and a linear layer after it.
template <typename F>
Model before_linear(std::int64_t features, const F& f) {
  return model_of({2, 4, 4}, [&](torch::nn::Module& module) {
    auto linear = module.register_module("linear", Linear(features, 10));
    return [=](Tensor x) mutable { return linear->forward(f(x)); };
  });
}

void expect_message(const Model& model, const std::string& part) {
  EXPECT_THAT([&] { Compiled{model}; }, ThrowsMessage<UnsupportedModel>(HasSubstr(part)));
}

TEST(UnsupportedModel, NamesTheOperator) {
  expect_message(before_linear(2,
                               [](Tensor x) {
                                 return torch::logsumexp(x, {2, 3});
                               }),
                 "aten::logsumexp");
  expect_message(before_linear(32, [](Tensor x) { return torch::flip(x, {3}).flatten(1); }),
                 "aten::flip");
  expect_message(
      before_linear(
          32,
          [](Tensor x) {
            return torch::instance_norm(x, {}, {}, {}, {}, true, 0.1, 1e-5, false).flatten(1);
          }),
      "aten::instance_norm");
}

TEST(UnsupportedModel, SaysThatAConvolutionIsTransposed) {
  expect_message(
      model_of({2, 4, 4},
               [](torch::nn::Module& module) {
                 auto up = module.register_module(
                     "up", torch::nn::ConvTranspose2d(torch::nn::ConvTranspose2dOptions(2, 10, 4)));
                 return [=](Tensor x) mutable {
                   return torch::adaptive_avg_pool2d(up->forward(x), {1, 1}).flatten(1);
                 };
               }),
      "it is transposed");
}

TEST(UnsupportedModel, NamesAFrozenParameter) {
  Model model = make_model("lab-cnn", {{1, 28, 28}, 10}, 3);
  model.module->named_parameters()["conv2.weight"].set_requires_grad(false);
  expect_message(model, "conv2.weight");
}

TEST(UnsupportedModel, IsTheVerdictOnWhatWouldBeComputedWrongly) {
  expect_message(before_linear(32, [](Tensor x) { return torch::add(x, x, 2).flatten(1); }),
                 "it is scaled");
  expect_message(before_linear(32, [](Tensor x) { return torch::elu(x, 1, 2).flatten(1); }),
                 "it is scaled");
  expect_message(before_linear(32, [](Tensor x) { return (x - 2).flatten(1); }), "aten::sub");
  expect_message(before_linear(32, [](Tensor x) { return torch::softmax(x, 1).flatten(1); }),
                 "aten::softmax");
  expect_message(before_linear(64,
                               [](Tensor x) {
                                 return torch::cat({x, x}, 2).flatten(1);
                               }),
                 "dimension 2");
  expect_message(before_linear(2, [](Tensor x) { return x.view({-1, 2}); }), "aten::view");
  expect_message(before_linear(32, [](Tensor x) { return torch::dropout(x, 1, true).flatten(1); }),
                 "drops everything");
}

TEST(UnsupportedModel, NamesAnOperatorThatChangesWhatAViewShows) {
  const std::string why = "changes in place";
  expect_message(before_linear(32,
                               [](Tensor x) {  // through the view
                                 const Tensor base = torch::tanh(x);
                                 base.flatten(1).relu_();
                                 return base.flatten(1);
                               }),
                 why);
  expect_message(before_linear(32,
                               [](Tensor x) {  // below the view
                                 Tensor base = torch::tanh(x);
                                 const Tensor view = base.flatten(1);
                                 base.relu_();
                                 return view;
                               }),
                 why);
}

TEST(UnsupportedModel, IsNotWhatChangesAViewThatAloneIsUsed) {
  EXPECT_NO_THROW(
      Compiled{before_linear(32, [](Tensor x) { return torch::tanh(x).flatten(1).relu_(); })});
}

TEST(UnsupportedModel, NamesWhatDiffersFromPassToPass) {
  const auto passes = std::make_shared<int>(0);
  expect_message(
      before_linear(
          32, [passes](Tensor x) { return torch::leaky_relu(x, 0.1 * ++*passes).flatten(1); }),
      "aten::leaky_relu, in its forward pass: it differs");
  expect_message(
      before_linear(
          32, [passes](Tensor x) { return (++*passes % 2 == 0 ? torch::relu(x) : x).flatten(1); }),
      "it differs");
  expect_message(before_linear(32, [](Tensor x) { return (x * torch::rand({1})).flatten(1); }),
                 "aten::rand");
}

TEST(UnsupportedModel, IsWhatComputesOtherwiseWhenCompiled) {
  const std::string why = "its scores for two images differ";
  expect_message(before_linear(32,
                               [](Tensor x) {  // black images take another way
                                 const bool black = x.abs().sum().item<float>() == 0;
                                 return (black ? torch::relu(x) : torch::tanh(x)).flatten(1);
                               }),
                 why);
  expect_message(
      before_linear(32, [](Tensor x) { return (x.size(0) == 2 ? torch::relu(x) : x).flatten(1); }),
      why);
}

TEST(UnsupportedModel, IsThrownWhenTheResultIsNoScores) {
  expect_message(model_of({2, 4, 4},
                          [](torch::nn::Module& module) {
                            auto convolution = module.register_module(
                                "convolution", Conv2d(Conv2dOptions(2, 10, 3)));
                            return [=](Tensor x) mutable { return convolution->forward(x); };
                          }),
                 "[N, classes]");
}

}  // namespace
}  // namespace yoke::test
