// yoke/optim/optimizers/orthogonal.h: the orthogonal matrix near a given one.
#pragma once
#include <torch/types.h>

namespace yoke {

/// A matrix with the singular vectors of `matrix`, fp32 [R, C], and singular values near 1, by
/// `iterations` of a Newton-Schulz iteration of fifth order with the coefficients of Jordan et al.
/// 2024: after five they lie in [0.7, 1.2] unless they were below a thousandth of the matrix's
/// norm. Zero stays zero.
torch::Tensor orthogonalise(const torch::Tensor& matrix, int iterations);

}  // namespace yoke
