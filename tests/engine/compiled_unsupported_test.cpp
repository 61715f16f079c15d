// tests/engine/compiled_unsupported_test.cpp: what the compiled engine says of models it cannot
// run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include <functional>

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

TEST(UnsupportedModel, IsTheVerdictOnWhatWouldBeComputedWrongly) {
  expect_message(before_linear(2, [](Tensor x) { return x.view({-1, 2}); }), "aten::view");
  expect_message(before_linear(32, [](Tensor x) { return torch::dropout(x, 1, true).flatten(1); }),
                 "drops everything");
}

TEST(UnsupportedModel, NamesWhatMixesImages) {
  const std::string why = "gives an image something else when others are beside it";
  for (const auto& mix : std::initializer_list<std::function<Tensor(Tensor)>>{
           [](Tensor x) { return x - x.mean({0}, true); },
           [](Tensor x) { return torch::cumsum(x, 0); },
           [](Tensor x) { return torch::flip(x, {0}); },
           [](Tensor x) { return torch::softmax(x, 0); }, [](Tensor x) { return x / x.norm(); }}) {
    expect_message(before_linear(32, [mix](Tensor x) { return mix(x).flatten(1); }), why);
  }
}

TEST(UnsupportedModel, NamesABatchNormOfWhatCannotFlow) {
  expect_message(before_linear(32,
                               [](Tensor x) {
                                 const Tensor pairs = x.view({-1, 2});
                                 const Tensor normal = torch::batch_norm(pairs, {}, {}, {}, {},
                                                                         true, 0.1, 1e-5, false);
                                 return normal.view({-1, 32});
                               }),
                 "aten::batch_norm");
}

TEST(UnsupportedModel, NamesWhatChangesABuffer) {
  for (const bool of_part : {false, true}) {
    expect_message(model_of({2, 4, 4},
                            [of_part](torch::nn::Module& module) {
                              auto linear = module.register_module("linear", Linear(32, 10));
                              auto sum = module.register_buffer("sum", torch::zeros({10}));
                              return [=](Tensor x) mutable {
                                const Tensor changed = of_part ? sum.narrow(0, 2, 1) : sum;
                                return linear->forward(x.flatten(1)) + changed.mul_(0.5);
                              };
                            }),
                   "it changes what the model keeps");
  }
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
  expect_message(before_linear(32,
                               [](Tensor x) {  // through a part of it
                                 const Tensor base = torch::tanh(x);
                                 base.narrow(2, 0, 1).zero_();
                                 return base.flatten(1);
                               }),
                 why);
  expect_message(before_linear(32,
                               [](Tensor x) {  // what images are written into
                                 const Tensor base = torch::zeros({x.size(0), 2, 4, 4});
                                 base.narrow(2, 0, 1).copy_(x.narrow(2, 1, 1));
                                 return base.flatten(1);
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
