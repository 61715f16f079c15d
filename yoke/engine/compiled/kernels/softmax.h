// yoke/engine/compiled/kernels/softmax.h: softmax, its logarithm, and the cross-entropy, fp32.
#pragma once
#include <cstdint>

namespace yoke::compiled {

/// result = softmax of `count` scores, or its logarithm. `result` may be `scores`.
void softmax(const float* scores, std::int64_t count, bool logarithm, float* result);

/// gradient_in from gradient_out and `result` of softmax().
void softmax_backward(const float* result, const float* gradient_out, std::int64_t count,
                      bool logarithm, float* gradient_in);

/// The cross-entropy of `count` scores for class `target`, and `scale` times its gradient. With
/// `smoothing` the target distribution is (1 - smoothing) at the target plus smoothing / count
/// everywhere (Szegedy et al. 2015, section 7).
double cross_entropy(const float* scores, std::int64_t count, std::int64_t target, double smoothing,
                     float scale, float* gradient);

}  // namespace yoke::compiled
