#include "yoke/optim/adam.h"

#include "yoke/optim/adam_update.h"

namespace yoke {

Adam::Adam(FlatParameters& parameters, Options& options, WeightDecay kind, double default_decay)
    : parameters_(parameters),
      kind_(kind),
      beta1_(options.get("beta1", 0.9, 0.0, kMostBeta)),    // decay of the gradients' average
      beta2_(options.get("beta2", 0.999, 0.0, kMostBeta)),  // decay of the squares' average
      epsilon_(options.get("epsilon", 1e-8, 0.0)),          // added to the divisor
      weight_decay_(options.get("weight_decay", default_decay, 0.0)),
      steps_(torch::zeros({1}, torch::kInt64)),
      mean_(torch::zeros_like(parameters.values())),
      square_(torch::zeros_like(parameters.values())) {}

torch::Tensor Adam::step(const Objective& objective, const Rates& rates) {
  torch::Tensor loss = objective();
  const torch::NoGradGuard no_grad;
  steps_.add_(1);
  const bool decoupled = kind_ == WeightDecay::kDecoupled;
  adam_update(parameters_.values(), parameters_.gradients(), mean_, square_,
              {.number = steps_.item<std::int64_t>(),
               .lr = rates.lr,
               .beta1 = rates.momentum.value_or(beta1_),
               .beta2 = beta2_,
               .epsilon = epsilon_,
               .l2 = decoupled ? 0 : weight_decay_,
               .shrink = decoupled ? 1 - rates.lr * weight_decay_ : 1});
  return loss;
}

std::vector<std::pair<std::string, torch::Tensor>> Adam::state() {
  return {{"steps", steps_}, {"exp_avg", mean_}, {"exp_avg_sq", square_}};
}

std::unique_ptr<Optimizer> make_adam(const Shard& shard, Options& options) {
  return std::make_unique<Adam>(shard.parameters, options, WeightDecay::kInGradient, 0.0);
}

}  // namespace yoke
