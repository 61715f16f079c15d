#include "yoke/optim/optimizers/orthogonal.h"

namespace yoke {

torch::Tensor orthogonalise(const torch::Tensor& matrix, int iterations) {
  const double a = 3.4445, b = -4.7750, c = 2.0315;
  const bool tall = matrix.size(0) > matrix.size(1);
  torch::Tensor x = tall ? matrix.t() : matrix;
  x = x / (x.norm() + 1e-7);
  for (int i = 0; i < iterations; ++i) {
    const torch::Tensor square = torch::mm(x, x.t());
    x = torch::addmm(x, torch::addmm(square, square, square, b, c), x, a);
  }
  return tall ? x.t() : x;
}

}  // namespace yoke
