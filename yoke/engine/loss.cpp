#include "yoke/engine/loss.h"

namespace yoke {
namespace {

/// The shares of each image's classes, fp32 [N, classes].
torch::Tensor shares_of_classes(const Batch& batch, std::int64_t classes, torch::Device device) {
  const auto target = batch.target.to(device, /*non_blocking=*/true).unsqueeze(1);
  auto shares = torch::zeros({batch.size(), classes}, torch::device(device));
  if (!batch.mixed()) return shares.scatter_(1, target, 1);
  const auto other = batch.other_target.to(device, /*non_blocking=*/true).unsqueeze(1);
  const auto share = batch.other_share.to(device, /*non_blocking=*/true).unsqueeze(1);
  return shares.scatter_add_(1, target, 1 - share).scatter_add_(1, other, share);
}

/// Spreads a part of what each image's classes weigh evenly over all classes.
torch::Tensor smoothed(const torch::Tensor& shares, double smoothing) {
  if (smoothing == 0) return shares;
  const auto classes = static_cast<double>(shares.size(1));
  return shares * (1 - smoothing) + shares.sum(1, /*keepdim=*/true) * (smoothing / classes);
}

}  // namespace

torch::Tensor mean_loss(const torch::Tensor& scores, const Batch& batch,
                        const LossOptions& options) {
  const auto device = scores.device();
  const bool weighted = options.class_weights.defined();
  if (!batch.mixed() && !weighted) {
    return torch::cross_entropy_loss(scores, batch.target.to(device, /*non_blocking=*/true), {},
                                     at::Reduction::Mean, /*ignore_index=*/-100,
                                     options.label_smoothing);
  }
  auto shares = shares_of_classes(batch, scores.size(1), device);
  if (weighted) shares *= options.class_weights.to(device);
  return torch::cross_entropy_loss(scores, smoothed(shares, options.label_smoothing));
}

}  // namespace yoke
