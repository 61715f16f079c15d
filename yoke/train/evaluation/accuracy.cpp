#include "yoke/train/evaluation/accuracy.h"

#include "yoke/core/batch.h"

namespace yoke {
namespace {

torch::Tensor ranks_on_cpu(const torch::Tensor& scores, const torch::Tensor& target) {
  check_target(target, scores.size(1));
  const auto contiguous = scores.contiguous();
  const std::int64_t images = scores.size(0), classes = scores.size(1);
  auto ranks = torch::empty({images}, torch::kInt64);
  const float* row = contiguous.data_ptr<float>();
  const auto* const wanted = target.data_ptr<std::int64_t>();
  auto* const rank = ranks.data_ptr<std::int64_t>();
  for (std::int64_t n = 0; n < images; ++n, row += classes) {
    const float own = row[wanted[n]];
    std::int64_t better = 0;
    // `!(a <= b)` also counts what is not a number.
    for (std::int64_t c = 0; c < classes; ++c) better += !(row[c] <= own);
    for (std::int64_t c = 0; c < wanted[n]; ++c) better += row[c] == own;
    rank[n] = better;
  }
  return ranks;
}

}  // namespace

torch::Tensor ranks_of_target(const torch::Tensor& scores, const torch::Tensor& target) {
  const torch::NoGradGuard no_grad;
  if (scores.is_cpu()) return ranks_on_cpu(scores, target);
  const auto own = scores.gather(1, target.unsqueeze(1));
  const auto classes = torch::arange(scores.size(1), target.options());
  const auto higher = scores.le(own).logical_not();
  const auto equal = scores.eq(own).logical_and(classes.lt(target.unsqueeze(1)));
  return higher.logical_or(equal).sum(1);
}

}  // namespace yoke
