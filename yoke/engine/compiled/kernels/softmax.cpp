#include "yoke/engine/compiled/kernels/softmax.h"

#include <algorithm>
#include <cmath>

namespace yoke::compiled {
namespace {

/// log(sum(exp(scores))) is `most` + `rest`, without overflow. Both are taken from a score one
/// after the other: the sum of a large score and a small rest would be rounded to the former's
/// size.
struct LogSum {
  float most, rest;
  float log_probability(float score) const { return score - most - rest; }
};

LogSum log_sum(const float* scores, std::int64_t count) {
  const float most = *std::max_element(scores, scores + count);
  float sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += std::exp(scores[i] - most);
  return {most, std::log(sum)};
}

}  // namespace

void softmax(const float* scores, std::int64_t count, bool logarithm, float* result) {
  const LogSum sum = log_sum(scores, count);
  for (std::int64_t i = 0; i < count; ++i) {
    const float log_probability = sum.log_probability(scores[i]);
    result[i] = logarithm ? log_probability : std::exp(log_probability);
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

double cross_entropy(const float* scores, std::int64_t count, const WantedScores& wanted,
                     float scale, float* gradient) {
  const LogSum sum = log_sum(scores, count);
  const auto weight = [&](std::int64_t i) {
    return wanted.class_weights == nullptr ? 1.0 : double{wanted.class_weights[i]};
  };
  const double own = (1 - wanted.other_share) * weight(wanted.target);
  const double other = wanted.other_share * weight(wanted.other);
  const double all = own + other;
  const double everywhere = wanted.smoothing * all / static_cast<double>(count);
  const auto share = [&](std::int64_t i) {
    const double here = (i == wanted.target ? own : 0) + (i == wanted.other ? other : 0);
    return (1 - wanted.smoothing) * here + everywhere;
  };
  double loss = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const double here = share(i);
    const float log_probability = sum.log_probability(scores[i]);
    if (here > 0) loss -= here * log_probability;
    gradient[i] =
        scale * (static_cast<float>(all) * std::exp(log_probability) - static_cast<float>(here));
  }
  return loss;
}

}  // namespace yoke::compiled
