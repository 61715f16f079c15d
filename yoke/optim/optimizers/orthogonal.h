// yoke/optim/optimizers/orthogonal.h: the orthogonal matrices near given ones.
#pragma once
#include <torch/types.h>

#include <vector>

namespace yoke {

/// Of each of `matrices`, fp32 [R, C] or [N, R, C], one with its singular vectors and singular
/// values near 1, by `iterations` of a Newton-Schulz iteration of fifth order with the coefficients
/// of Jordan et al. 2024: after five they lie in [0.7, 1.2] unless they were below a thousandth of
/// the matrix's norm. Zero stays zero.
torch::Tensor orthogonalise(const torch::Tensor& matrices, int iterations);

/// The same of each of `matrices`, fp32 [R, C] of any R and C, those of one shape at once: on a GPU
/// many small products take as long as their launches.
std::vector<torch::Tensor> orthogonalise_each(const std::vector<torch::Tensor>& matrices,
                                              int iterations);

}  // namespace yoke
