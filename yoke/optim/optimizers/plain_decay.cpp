#include "yoke/optim/optimizers/plain_decay.h"

namespace yoke {

torch::Tensor decayed_gradients(const torch::Tensor& gradients, const torch::Tensor& values,
                                double decay, std::span<const ElementRange> undecayed) {
  if (decay == 0) return gradients;
  torch::Tensor sum = gradients.add(values, decay);
  for (const auto& [begin, end] : undecayed) {
    sum.narrow(0, begin, end - begin).copy_(gradients.narrow(0, begin, end - begin));
  }
  return sum;
}

void shrink_values(const torch::Tensor& values, double factor,
                   std::span<const ElementRange> undecayed) {
  if (factor == 1) return;
  for (const auto& [begin, end] : outside(undecayed, values.numel())) {
    values.narrow(0, begin, end - begin).mul_(factor);
  }
}

}  // namespace yoke
