#include "yoke/optim/optimizers/sgd_update.h"

#include "yoke/core/vectorise.h"
#include "yoke/optim/optimizers/plain_decay.h"

namespace yoke {
namespace {

struct SgdConstants {
  float lr, momentum, intake, weight_decay;
  bool nesterov;
};

YOKE_VECTORISE void descend(float* __restrict value, const float* __restrict gradient,
                            std::int64_t size, SgdConstants constants) {
  const auto [lr, momentum, intake, weight_decay, nesterov] = constants;
  for (std::int64_t i = 0; i < size; ++i) {
    value[i] -= lr * (gradient[i] + weight_decay * value[i]);
  }
}

YOKE_VECTORISE void descend_with_momentum(float* __restrict value, float* __restrict velocity,
                                          const float* __restrict gradient, std::int64_t size,
                                          SgdConstants constants) {
  const auto [lr, momentum, intake, weight_decay, nesterov] = constants;
  for (std::int64_t i = 0; i < size; ++i) {
    const float g = gradient[i] + weight_decay * value[i];
    const float v = momentum * velocity[i] + intake * g;
    velocity[i] = v;
    value[i] -= lr * (nesterov ? g + momentum * v : v);
  }
}

}  // namespace

void sgd_update(torch::Tensor values, const torch::Tensor& gradients, torch::Tensor velocity,
                const SgdStep& step) {
  if (!values.is_cpu()) return sgd_update_plain(values, gradients, velocity, step);
  const SgdConstants constants{.lr = static_cast<float>(step.lr),
                               .momentum = static_cast<float>(step.momentum),
                               .intake = static_cast<float>(step.intake),
                               .weight_decay = static_cast<float>(step.weight_decay),
                               .nesterov = step.nesterov};
  SgdConstants without_decay = constants;
  without_decay.weight_decay = 0;
  const auto of = [&](bool undecayed) { return undecayed ? without_decay : constants; };
  if (!velocity.defined()) {
    for_each_range({values, gradients}, step.undecayed,
                   [&](float* const* at, std::int64_t size, bool undecayed) {
                     descend(at[0], at[1], size, of(undecayed));
                   });
    return;
  }
  for_each_range({values, velocity, gradients}, step.undecayed,
                 [&](float* const* at, std::int64_t size, bool undecayed) {
                   descend_with_momentum(at[0], at[1], at[2], size, of(undecayed));
                 });
}

void sgd_update_plain(torch::Tensor values, const torch::Tensor& gradients, torch::Tensor velocity,
                      const SgdStep& step) {
  torch::Tensor direction = decayed_gradients(gradients, values, step.weight_decay, step.undecayed);
  if (velocity.defined()) {
    velocity.mul_(step.momentum).add_(direction, step.intake);
    direction = step.nesterov ? direction.add(velocity, step.momentum) : velocity;
  }
  values.add_(direction, -step.lr);
}

}  // namespace yoke
