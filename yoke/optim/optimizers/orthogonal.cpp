#include "yoke/optim/optimizers/orthogonal.h"

#include <map>

namespace yoke {
namespace {

/// a x + b y z, of matrices or of as many each.
torch::Tensor add_product(const torch::Tensor& x, double a, const torch::Tensor& y,
                          const torch::Tensor& z, double b) {
  return x.dim() == 2 ? torch::addmm(x, y, z, a, b) : torch::baddbmm(x, y, z, a, b);
}

}  // namespace

torch::Tensor orthogonalise(const torch::Tensor& matrices, int iterations) {
  const double a = 3.4445, b = -4.7750, c = 2.0315;
  const bool tall = matrices.size(-2) > matrices.size(-1);
  torch::Tensor x = tall ? matrices.mT() : matrices;
  x = x / (x.norm(2, {-2, -1}, /*keepdim=*/true) + 1e-7);
  for (int i = 0; i < iterations; ++i) {
    const torch::Tensor square = torch::matmul(x, x.mT());
    x = add_product(x, a, add_product(square, b, square, square, c), x, 1);
  }
  return tall ? x.mT() : x;
}

std::vector<torch::Tensor> orthogonalise_each(const std::vector<torch::Tensor>& matrices,
                                              int iterations) {
  std::map<std::vector<std::int64_t>, std::vector<std::size_t>> of_shape;
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    of_shape[matrices[i].sizes().vec()].push_back(i);
  }
  std::vector<torch::Tensor> results(matrices.size());
  for (const auto& [shape, places] : of_shape) {
    std::vector<torch::Tensor> alike;
    for (const std::size_t i : places) alike.push_back(matrices[i]);
    const auto made = orthogonalise(torch::stack(alike), iterations).unbind();
    for (std::size_t k = 0; k < places.size(); ++k) results[places[k]] = made[k];
  }
  return results;
}

}  // namespace yoke
