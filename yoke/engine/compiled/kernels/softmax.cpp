#include "yoke/engine/compiled/kernels/softmax.h"

#include <algorithm>
#include <cmath>

namespace yoke::compiled {
namespace {

/// log(sum(exp(scores))), without overflow.
float log_sum(const float* scores, std::int64_t count) {
  const float most = *std::max_element(scores, scores + count);
  float sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += std::exp(scores[i] - most);
  return most + std::log(sum);
}

}  // namespace

void softmax(const float* scores, std::int64_t count, bool logarithm, float* result) {
  const float sum = log_sum(scores, count);
  for (std::int64_t i = 0; i < count; ++i) {
    result[i] = logarithm ? scores[i] - sum : std::exp(scores[i] - sum);
  }
}

void softmax_backward(const float* result, const float* gradient_out, std::int64_t count,
                      bool logarithm, float* gradient_in) {
  float sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += gradient_out[i] * (logarithm ? 1 : result[i]);
  for (std::int64_t i = 0; i < count; ++i) {
    gradient_in[i] = logarithm ? gradient_out[i] - std::exp(result[i]) * sum
                               : result[i] * (gradient_out[i] - sum);
  }
}

double cross_entropy(const float* scores, std::int64_t count, std::int64_t target, double smoothing,
                     float scale, float* gradient) {
  const float sum = log_sum(scores, count);
  const double everywhere = smoothing / static_cast<double>(count);
  double loss = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const double wanted = everywhere + (i == target ? 1 - smoothing : 0);
    const float log_probability = scores[i] - sum;
    if (wanted > 0) loss -= wanted * log_probability;
    gradient[i] = scale * (std::exp(log_probability) - static_cast<float>(wanted));
  }
  return loss;
}

}  // namespace yoke::compiled
