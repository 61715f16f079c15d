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

}  // namespace

torch::Tensor mean_loss(const torch::Tensor& scores, const Batch& batch,
                        const LossOptions& options) {
  const auto device = scores.device();
  const auto& weights = options.class_weights;
  const bool plain = !batch.mixed() && !weights.defined();
  const auto target = plain ? batch.target.to(device, /*non_blocking=*/true)
                            : shares_of_classes(batch, scores.size(1), device);
  return torch::cross_entropy_loss(
      scores, target, weights.defined() ? weights.to(device) : torch::Tensor(), at::Reduction::Mean,
      /*ignore_index=*/-100, options.label_smoothing);
}

}  // namespace yoke
