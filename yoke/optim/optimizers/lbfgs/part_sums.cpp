#include "yoke/optim/optimizers/lbfgs/part_sums.h"

#include "yoke/optim/optimizers/slice_dots.h"

namespace yoke {

double PartSums::over_parts(torch::Tensor sum) const {
  if (over_parts_) over_parts_(sum);
  return sum.item<double>();
}

double PartSums::dot(const torch::Tensor& a, const torch::Tensor& b) const {
  return over_parts(slice_dots({{.name = "", .shape = {}, .elements = a.numel()}}, a, b));
}

double PartSums::magnitude(const torch::Tensor& vector) const {
  if (!vector.is_cpu()) return over_parts(vector.abs().sum({0}, true, torch::kFloat64));
  return dot(vector.abs(), torch::ones_like(vector));  // of equal bits on any number of threads
}

bool PartSums::within(const torch::Tensor& vector, double limit) const {
  // Counts what is not within, as NaN is not.
  return over_parts(vector.abs().le(limit).logical_not().sum({0}, true, torch::kFloat64)) == 0;
}

}  // namespace yoke
