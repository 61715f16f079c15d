#include "yoke/train/evaluation/class_scores.h"

#include <cmath>

namespace yoke {

double balanced_accuracy(const std::vector<double>& per_class_accuracy) {
  double sum = 0, classes = 0;
  for (const double accuracy : per_class_accuracy) {
    if (std::isnan(accuracy)) continue;
    sum += accuracy;
    classes += 1;
  }
  return sum / classes;
}

double macro_f1(const torch::Tensor& confusion) {
  const auto right = confusion.diagonal().contiguous();
  const auto occurrences = (confusion.sum(1) + confusion.sum(0)).contiguous();
  double sum = 0, classes = 0;
  for (std::int64_t c = 0; c < confusion.size(0); ++c) {
    const auto both = occurrences.data_ptr<std::int64_t>()[c];
    if (both == 0) continue;
    sum += 2.0 * static_cast<double>(right.data_ptr<std::int64_t>()[c]) / static_cast<double>(both);
    classes += 1;
  }
  return sum / classes;
}

}  // namespace yoke
