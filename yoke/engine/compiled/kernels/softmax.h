// yoke/engine/compiled/kernels/softmax.h: softmax, its logarithm, and the cross-entropy, fp32.
#pragma once
#include <cstdint>

namespace yoke::compiled {

/// result = softmax of `count` scores, or its logarithm. `result` may be `scores`.
void softmax(const float* scores, std::int64_t count, bool logarithm, float* result);

/// gradient_in from gradient_out and `result` of softmax().
void softmax_backward(const float* result, const float* gradient_out, std::int64_t count,
                      bool logarithm, float* gradient_in);

/// What the scores of an image should say, see LossOptions and Batch.
struct WantedScores {
  std::int64_t target = 0;
  std::int64_t other = 0;  ///< Of a mixed image.
  float other_share = 0;   ///< What it weighs; 0: the image is not mixed.
  double smoothing = 0;
  const float* class_weights = nullptr;  ///< [count]; null: all 1.
};

/// The cross-entropy of `count` scores, as mean_loss() of one image, and `scale` times its
/// gradient.
double cross_entropy(const float* scores, std::int64_t count, const WantedScores& wanted,
                     float scale, float* gradient);

}  // namespace yoke::compiled
