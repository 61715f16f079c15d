#include "yoke/optim/optimizers/orthogonal.h"

#include <gtest/gtest.h>

namespace yoke {
namespace {

using torch::Tensor;

/// With singular values `values` [k], k being the smaller of `rows` and `columns`.
Tensor matrix_of(const Tensor& values, std::int64_t rows, std::int64_t columns) {
  const auto basis = [&](std::int64_t size) {
    return std::get<0>(torch::linalg_qr(torch::randn({size, values.size(0)})));
  };
  return basis(rows).matmul(values.diag()).matmul(basis(columns).t());
}

class Orthogonal : public testing::TestWithParam<std::vector<std::int64_t>> {};

TEST_P(Orthogonal, KeepsSingularVectorsAndBringsTheValuesNearOne) {
  torch::manual_seed(3);
  const std::int64_t rows = GetParam()[0], columns = GetParam()[1];
  const Tensor given = matrix_of(torch::logspace(0, -2, std::min(rows, columns)), rows, columns);
  const Tensor result = orthogonalise(given, 5);
  ASSERT_EQ(result.sizes(), given.sizes());
  const auto [u, s, v] = torch::linalg_svd(given, false);
  const Tensor among = u.t().matmul(result).matmul(v.t());
  EXPECT_GT(among.diagonal().min().item<float>(), 0.68);
  EXPECT_LT(among.diagonal().max().item<float>(), 1.21);
  EXPECT_LT((among - among.diagonal().diag()).abs().max().item<float>(), 1e-3);
}

INSTANTIATE_TEST_SUITE_P(Shapes, Orthogonal,
                         testing::Values(std::vector<std::int64_t>{6, 6},
                                         std::vector<std::int64_t>{4, 36},
                                         std::vector<std::int64_t>{30, 7},
                                         std::vector<std::int64_t>{1, 5}),
                         [](const auto& info) { return "Case" + std::to_string(info.index); });

TEST(Orthogonalise, DoesNotCareForTheScale) {
  torch::manual_seed(3);
  const Tensor given = torch::randn({8, 20});
  const Tensor result = orthogonalise(given, 5);
  EXPECT_TRUE(torch::allclose(orthogonalise(given * 1e6, 5), result, 1e-4, 1e-5));
  EXPECT_TRUE(torch::allclose(orthogonalise(-given, 5), -result));
}

TEST(Orthogonalise, LeavesZeroAtZero) {
  EXPECT_TRUE(torch::equal(orthogonalise(torch::zeros({3, 4}), 5), torch::zeros({3, 4})));
}

TEST(OrthogonaliseEach, IsTheSameForThoseOfOneShapeTogether) {
  torch::manual_seed(3);
  std::vector<Tensor> given;
  for (const auto& [rows, columns] : {std::pair(4, 9), {9, 4}, {4, 9}, {6, 6}, {4, 9}, {9, 4}}) {
    given.push_back(torch::randn({rows, columns}));
  }
  given.push_back(torch::zeros({6, 6}));
  const auto results = orthogonalise_each(given, 5);
  ASSERT_EQ(results.size(), given.size());
  for (std::size_t i = 0; i < given.size(); ++i) {
    const Tensor alone = orthogonalise(given[i], 5);
    ASSERT_EQ(results[i].sizes(), alone.sizes()) << "matrix " << i;
    EXPECT_TRUE(torch::allclose(results[i], alone, 1e-4, 1e-5)) << "matrix " << i;
  }
  EXPECT_TRUE(orthogonalise_each({}, 5).empty());
}

}  // namespace
}  // namespace yoke
