#include "yoke/optim/optimizers/adam_update.h"

#include <algorithm>
#include <cmath>

#include "yoke/core/vectorise.h"
#include "yoke/optim/optimizers/plain_decay.h"

namespace yoke {
namespace {

struct AdamConstants {
  float beta1, intake1;  // intake = 1 - beta
  float beta2, intake2;
  float l2, shrink;
  float root_scale;  // of the root of the squares: corrects their bias
  float epsilon;
  float step_size;  // lr, with the mean's bias corrected
};

YOKE_VECTORISE void descend(float* __restrict value, float* __restrict mean,
                            float* __restrict square, const float* __restrict gradient,
                            std::int64_t size, const AdamConstants constants) {
  const auto [beta1, intake1, beta2, intake2, l2, shrink, root_scale, epsilon, step_size] =
      constants;
  for (std::int64_t i = 0; i < size; ++i) {
    const float w = shrink * value[i];
    const float g = gradient[i] + l2 * w;
    const float m = beta1 * mean[i] + intake1 * g;
    const float s = beta2 * square[i] + intake2 * g * g;
    mean[i] = m;
    square[i] = s;
    value[i] = w - step_size * m / (root_scale * std::sqrt(s) + epsilon);
  }
}

/// What the divisor gets at least. Where epsilon is 0, or next to it, an element whose squares are
/// 0 in fp32 has a mean below this, if it is not 0 itself: it moves by about the rate, not to NaN.
constexpr double kLeastEpsilon = 1e-20;

double bias(double beta, std::int64_t number) {
  return 1 - std::pow(beta, static_cast<double>(number));
}

}  // namespace

void adam_update(torch::Tensor values, const torch::Tensor& gradients, torch::Tensor mean,
                 torch::Tensor square, const AdamStep& step) {
  if (!values.is_cpu()) return adam_update_plain(values, gradients, mean, square, step);
  const auto narrow = [](double number) { return static_cast<float>(number); };
  const AdamConstants constants{
      .beta1 = narrow(step.beta1),
      .intake1 = narrow(1 - step.beta1),
      .beta2 = narrow(step.beta2),
      .intake2 = narrow(1 - step.beta2),
      .l2 = narrow(step.l2),
      .shrink = narrow(step.shrink),
      .root_scale = narrow(1 / std::sqrt(bias(step.beta2, step.number))),
      .epsilon = narrow(std::max(step.epsilon, kLeastEpsilon)),
      .step_size = narrow(step.lr / bias(step.beta1, step.number)),
  };
  AdamConstants without_decay = constants;
  without_decay.l2 = 0;
  without_decay.shrink = 1;
  for_each_range({values, mean, square, gradients}, step.undecayed,
                 [&](float* const* at, std::int64_t size, bool undecayed) {
                   descend(at[0], at[1], at[2], at[3], size, undecayed ? without_decay : constants);
                 });
}

void adam_update_plain(torch::Tensor values, const torch::Tensor& gradients, torch::Tensor mean,
                       torch::Tensor square, const AdamStep& step) {
  shrink_values(values, step.shrink, step.undecayed);
  const torch::Tensor total = decayed_gradients(gradients, values, step.l2, step.undecayed);
  mean.mul_(step.beta1).add_(total, 1 - step.beta1);
  square.mul_(step.beta2).addcmul_(total, total, 1 - step.beta2);
  const auto root = square.sqrt().div_(std::sqrt(bias(step.beta2, step.number)));
  values.addcdiv_(mean, root.add(std::max(step.epsilon, kLeastEpsilon)),
                  -step.lr / bias(step.beta1, step.number));
}

}  // namespace yoke
