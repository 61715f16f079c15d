// tests/engine/softmax_kernel_test.cpp: softmax and cross-entropy against LibTorch's in fp64.
#include <gtest/gtest.h>
#include <torch/nn/functional/loss.h>
#include <torch/utils.h>

#include <vector>

#include "yoke/engine/compiled/kernels/softmax.h"

namespace yoke::test {
namespace {

using torch::Tensor;

std::vector<float> as_vector(const Tensor& tensor) {
  const Tensor floats = tensor.to(torch::kFloat32).contiguous();
  return {floats.data_ptr<float>(), floats.data_ptr<float>() + floats.numel()};
}

void expect_near(const std::vector<float>& actual, const Tensor& expected, double tolerance) {
  for (std::size_t i = 0; i < actual.size(); ++i) {
    EXPECT_NEAR(actual[i], expected[static_cast<std::int64_t>(i)].item<double>(), tolerance) << i;
  }
}

/// fp64 scores that fp32 holds exactly, far from zero for all but the first.
std::vector<Tensor> scores_to_try() {
  torch::manual_seed(1);
  std::vector<Tensor> all;
  for (const std::int64_t count : {1, 2, 10, 17}) {
    for (const double offset : {0.0, 1000.0, -30.0}) {
      all.push_back((torch::randn({count}) + offset).to(torch::kFloat64));
    }
  }
  return all;
}

TEST(SoftmaxKernel, EqualsLibTorchHoweverLargeTheScores) {
  for (const Tensor& scores : scores_to_try()) {
    std::vector<float> numbers = as_vector(scores), result(numbers.size());
    const auto count = static_cast<std::int64_t>(numbers.size());
    compiled::softmax(numbers.data(), count, false, result.data());
    expect_near(result, torch::softmax(scores, 0), 3e-7);
    compiled::softmax(numbers.data(), count, true, numbers.data());  // in place
    expect_near(numbers, torch::log_softmax(scores, 0), 1e-6);
  }
}

TEST(SoftmaxKernel, HasTheGradientOfLibTorch) {
  for (Tensor scores : scores_to_try()) {
    for (const bool logarithm : {false, true}) {
      scores = scores.detach().set_requires_grad(true);
      const Tensor result = logarithm ? torch::log_softmax(scores, 0) : torch::softmax(scores, 0);
      const Tensor gradient = torch::randn_like(scores);
      result.backward(gradient);
      const std::vector<float> outer = as_vector(gradient), results = as_vector(result.detach());
      std::vector<float> inner(outer.size());
      compiled::softmax_backward(results.data(), outer.data(),
                                 static_cast<std::int64_t>(outer.size()), logarithm, inner.data());
      expect_near(inner, scores.grad(), 2e-6);
    }
  }
}

/// LibTorch's for one class, times what the class weighs, [].
Tensor cross_entropy_of(const Tensor& scores, std::int64_t target, double smoothing,
                        const Tensor& weights) {
  const Tensor loss = torch::cross_entropy_loss(scores.unsqueeze(0), torch::tensor({target}), {},
                                                at::Reduction::Mean, -100, smoothing);
  return weights.defined() ? loss * weights[target].item<double>() : loss;
}

void expect_cross_entropy(const Tensor& of, const compiled::WantedScores& wanted,
                          const Tensor& weights) {
  const Tensor scores = of.detach().set_requires_grad(true);
  const std::int64_t classes = scores.size(0);
  const Tensor own = cross_entropy_of(scores, wanted.target, wanted.smoothing, weights);
  const Tensor other = cross_entropy_of(scores, wanted.other, wanted.smoothing, weights);
  const Tensor loss = own * (1 - wanted.other_share) + other * wanted.other_share;
  (loss * 0.5).backward();
  const std::vector<float> numbers = as_vector(scores.detach());
  std::vector<float> gradient(numbers.size());
  const double found =
      compiled::cross_entropy(numbers.data(), classes, wanted, 0.5F, gradient.data());
  EXPECT_NEAR(found, loss.item<double>(), 1e-6);
  expect_near(gradient, scores.grad(), 3e-7);
}

TEST(CrossEntropyKernel, EqualsLibTorchWithAndWithoutSmoothing) {
  for (const Tensor& scores : scores_to_try()) {
    for (const double smoothing : {0.0, 0.1}) {
      expect_cross_entropy(scores, {.target = scores.size(0) / 2, .smoothing = smoothing}, {});
    }
  }
}

TEST(CrossEntropyKernel, EqualsLibTorchForMixedImagesAndWeightedClasses) {
  for (const Tensor& scores : scores_to_try()) {
    const std::int64_t classes = scores.size(0);
    const Tensor weights = torch::rand({classes});
    for (const double smoothing : {0.0, 0.1}) {
      compiled::WantedScores wanted{.target = classes / 2, .smoothing = smoothing};
      wanted.class_weights = weights.data_ptr<float>();
      expect_cross_entropy(scores, wanted, weights);
      wanted.other = classes - 1;
      wanted.other_share = 0.375F;
      expect_cross_entropy(scores, wanted, weights);
      wanted.class_weights = nullptr;
      expect_cross_entropy(scores, wanted, {});
    }
  }
}

}  // namespace
}  // namespace yoke::test
