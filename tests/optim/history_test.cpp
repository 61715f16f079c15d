// tests/optim/history_test.cpp: the two-loop recursion against the matrix that it stands for.
#include "yoke/optim/optimizers/lbfgs/history.h"

#include <gtest/gtest.h>
#include <torch/utils.h>

#include <cmath>

namespace yoke {
namespace {

using torch::Tensor;

constexpr std::int64_t kSize = 9;

struct Pair {
  Tensor step, change;
};

/// Pairs as of a convex quadratic loss.
std::vector<Pair> pairs(int count) {
  torch::manual_seed(4);
  const auto factor = torch::randn({kSize, kSize});
  const auto hessian = factor.mm(factor.t()) + torch::eye(kSize);
  std::vector<Pair> pairs;
  for (int i = 0; i < count; ++i) {
    const auto step = torch::randn({kSize});
    pairs.push_back({step, hessian.mv(step)});
  }
  return pairs;
}

/// The inverse Hessian by the BFGS formula (Nocedal and Wright 2006, equation 6.17), fp64.
Tensor dense_inverse(const std::vector<Pair>& pairs) {
  const auto one = torch::eye(kSize, torch::kFloat64);
  Tensor inverse = one;
  for (const auto& [step, change] : pairs) {
    const auto s = step.to(torch::kFloat64), y = change.to(torch::kFloat64);
    const auto rho = 1 / s.dot(y);
    const auto left = one - rho * s.outer(y);
    inverse = left.mm(inverse).mm(left.t()) + rho * s.outer(s);
  }
  return inverse;
}

TEST(CurvatureHistory, EqualsTheDenseFormulaForTheLatestPairs) {
  const PartSums sums({});
  const auto gradient = torch::linspace(-1, 2, kSize);
  for (const int count : {0, 1, 3, 4, 11}) {
    CurvatureHistory history(4, gradient);
    const auto all = pairs(count);
    for (const auto& [step, change] : all) history.add(step, change, sums);
    const std::vector<Pair> latest(all.end() - std::min(count, 4), all.end());
    // It starts from the scale of the latest pair, so the dense one is of pairs scaled by that.
    double scale = 1;
    if (count > 0) {
      const auto& [s, y] = all.back();
      scale = (s.dot(y) / y.dot(y)).item<double>();
    }
    std::vector<Pair> scaled;
    for (const auto& [s, y] : latest) scaled.push_back({s, y * scale});
    const auto expected =
        -scale * dense_inverse(scaled).mv(gradient.to(torch::kFloat64)).to(torch::kFloat32);
    const auto direction = history.direction(gradient, sums);
    EXPECT_TRUE(torch::allclose(direction, expected, 1e-4, 1e-5))
        << count << " pairs: " << (direction - expected).abs().max();
  }
}

TEST(CurvatureHistory, PassesOverWhatDoesNotCurveUpwards) {
  const PartSums sums({});
  const auto gradient = torch::linspace(-1, 2, kSize);
  CurvatureHistory history(2, gradient);
  history.add(gradient, -gradient, sums);
  history.add(gradient, torch::zeros({kSize}), sums);
  history.add(gradient, torch::full({kSize}, std::nanf("")), sums);
  EXPECT_TRUE(torch::equal(history.direction(gradient, sums), -gradient));
}

TEST(CurvatureHistory, GoesOnFromItsState) {
  const PartSums sums({});
  const auto gradient = torch::linspace(-1, 2, kSize);
  CurvatureHistory one(3, gradient), other(3, gradient);
  for (const auto& [step, change] : pairs(5)) {
    one.add(step, change, sums);
    const auto source = one.state(), target = other.state();
    for (std::size_t i = 0; i < source.size(); ++i) target[i].second.copy_(source[i].second);
    EXPECT_TRUE(torch::equal(one.direction(gradient, sums), other.direction(gradient, sums)));
  }
  one.clear();
  EXPECT_TRUE(torch::equal(one.direction(gradient, sums), -gradient));
}

}  // namespace
}  // namespace yoke
