// yoke/optim/optimizers/lbfgs/part_sums.h: numbers about vectors that may be cut into parts over
// ranks.
#pragma once
#include <torch/types.h>

#include "yoke/core/sum_over_ranks.h"

namespace yoke {

/// Sums over all elements of vectors, fp32 [P], of which this rank has a part. All ranks call it
/// alike and get equal numbers, so that they decide alike.
class PartSums {
 public:
  /// `over_parts` is empty where one part is all.
  explicit PartSums(SumOverRanks over_parts) : over_parts_(std::move(over_parts)) {}

  double dot(const torch::Tensor& a, const torch::Tensor& b) const;

  /// Of the absolute values.
  double magnitude(const torch::Tensor& vector) const;

  /// Whether no element's absolute value is above `limit`: how to compare the largest by a sum.
  bool within(const torch::Tensor& vector, double limit) const;

 private:
  double over_parts(torch::Tensor sum) const;

  SumOverRanks over_parts_;
};

}  // namespace yoke
