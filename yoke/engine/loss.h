// yoke/engine/loss.h: what a step minimises.
#pragma once
#include <torch/types.h>

#include "yoke/core/batch.h"

namespace yoke {

/// How the scores of an image are compared with its classes.
struct LossOptions {
  /// Share of the target that is spread evenly over the classes, in [0, 1] (Szegedy et al. 2015,
  /// section 7).
  double label_smoothing = 0;
  /// What each class weighs, fp32 [classes] on the CPU, from 0; undefined: all 1.
  torch::Tensor class_weights{};
};

/// The mean over the images of `batch` of -sum_c q_c log softmax(scores)_c, fp32 []. With t_c the
/// shares of an image's classes, w_c the class weights and s the label smoothing,
/// q_c = (1 - s) w_c t_c + s/C sum_k w_k t_k: an image weighs as its own classes do. (LibTorch's
/// cross_entropy_loss would give the part that is spread the weights of the classes it goes to, and
/// so nearly all of it to rare ones.) Divided by the images, not by their weights, so that ranks
/// need not know each other's. `scores` is fp32 [N, classes].
torch::Tensor mean_loss(const torch::Tensor& scores, const Batch& batch,
                        const LossOptions& options);

}  // namespace yoke
