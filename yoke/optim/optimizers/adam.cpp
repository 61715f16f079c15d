#include "yoke/optim/optimizers/adam.h"

#include "yoke/optim/optimizers/adam_update.h"

namespace yoke {

OptionTable<AdamOptions> adam_options(const AdamOptions& defaults, const std::string& decay) {
  using O = AdamOptions;
  return {defaults,
          {{"beta1", &O::beta1, in(0, below(1)), "decay of the gradient's average"},
           {"beta2", &O::beta2, in(0, below(1)), "decay of the average of its square"},
           {{"eps", "epsilon"},
            &O::epsilon,
            at_least(0),
            "added to the divisor; 1e-20 where it is less, so that 0 divides by no zero"},
           {"weight_decay", &O::weight_decay, at_least(0), decay}}};
}

Adam::Adam(const Shard& shard, const AdamOptions& options, WeightDecay kind)
    : parameters_(shard.parameters),
      kind_(kind),
      beta1_(options.beta1),
      beta2_(options.beta2),
      epsilon_(options.epsilon),
      weight_decay_(options.weight_decay),
      undecayed_(undecayed_ranges(shard.parameters, shard.no_decay)),
      steps_(torch::zeros({1}, torch::kInt64)),
      mean_(torch::zeros_like(shard.parameters.values())),
      square_(torch::zeros_like(shard.parameters.values())) {}

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
               .shrink = decoupled ? 1 - rates.lr * weight_decay_ : 1,
               .undecayed = undecayed_});
  return loss;
}

std::vector<std::pair<std::string, torch::Tensor>> Adam::state() {
  return {{"steps", steps_}, {"exp_avg", mean_}, {"exp_avg_sq", square_}};
}

OptimizerPlugin adam_optimizer() {
  return {adam_options({}, "times the parameters, joins the gradient"),
          [](const Shard& shard, const AdamOptions& options) {
            return std::make_unique<Adam>(shard, options, WeightDecay::kInGradient);
          },
          OptimizerTraits{.default_lr = 1e-3, .can_leave_decay_off = true}};
}

}  // namespace yoke
