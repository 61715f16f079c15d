// yoke/optim/optimizers/lbfgs/history.h: the curvature that L-BFGS remembers.
#pragma once
#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "yoke/core/named_tensors.h"
#include "yoke/optim/optimizers/lbfgs/part_sums.h"

namespace yoke {

/// The latest steps s and what they changed the gradient by, y: a quadratic model of the loss
/// (Nocedal 1980, "Updating quasi-Newton matrices with limited storage").
class CurvatureHistory {
 public:
  /// Room for `size` pairs of vectors that are like `vector`, fp32 [P].
  CurvatureHistory(std::int64_t size, const torch::Tensor& vector);

  /// Takes in a pair, in place of the oldest where there is no room, if the loss curves upwards
  /// along the step: s y above 1e-10.
  void add(const torch::Tensor& step, const torch::Tensor& change, const PartSums& sums);

  /// Minus the inverse of the model's second derivative times `gradient`, fp32 [P]: the step to
  /// the model's minimum, by the two-loop recursion (Nocedal and Wright 2006, algorithm 7.4).
  torch::Tensor direction(const torch::Tensor& gradient, const PartSums& sums) const;

  void clear();

  /// All of it, in tensors of fixed shapes.
  NamedTensors state() const;

 private:
  std::vector<torch::Tensor> steps_, changes_;  // fp32 [P] each; pair n is in place n modulo size
  torch::Tensor inverses_;                      // fp64 [size]: 1 / (s y)
  torch::Tensor scale_;                         // fp64 [1]: s y / y y of the latest pair
  torch::Tensor added_;                         // int64 [1]: pairs so far
};

}  // namespace yoke
