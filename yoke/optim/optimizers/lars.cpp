// yoke/optim/optimizers/lars.cpp: layer-wise adaptive rate scaling (You, Gitman and Ginsburg 2017,
// "Large batch training of convolutional networks", algorithm 1).
#include "yoke/optim/optimizer.h"
#include "yoke/optim/optimizers/layer_norms.h"
#include "yoke/optim/optimizers/sgd_update.h"

namespace yoke {
namespace {

struct LarsOptions {
  double momentum = 0.9;
  double weight_decay = 0;
  double trust = 0.001;
};

OptionTable<LarsOptions> lars_options() {
  using O = LarsOptions;
  return {
      {"momentum", &O::momentum, in(0, 1), "decay of the velocity"},
      {"weight_decay", &O::weight_decay, at_least(0), "times the parameters, joins the gradient"},
      {{"trust_coefficient", "trust"},
       &O::trust,
       at_least(0),
       "by what part of its norm a layer changes at a rate of 1"},
  };
}

class Lars final : public Optimizer {
 public:
  Lars(const Shard& shard, const LarsOptions& options)
      : shard_(shard), options_(options), velocity_(torch::zeros_like(shard.parameters.values())) {}

  torch::Tensor step(const Objective& objective, const Rates& rates) override {
    torch::Tensor loss = objective();
    const torch::NoGradGuard no_grad;
    const torch::Tensor values = shard_.parameters.values();
    const torch::Tensor gradients = shard_.parameters.gradients();
    const auto norms = layer_norms(shard_, values, gradients);
    const auto& slices = shard_.parameters.slices();
    for (std::size_t i = 0; i < slices.size(); ++i) {
      const auto cut = [&slice = slices[i]](const torch::Tensor& vector) {
        return vector.narrow(0, slice.offset, slice.elements);
      };
      const bool scaled = has_layer_rate(slices[i]);
      const bool decayed = scaled && !leaves_off(shard_.no_decay, slices[i]);
      const double decay = decayed ? options_.weight_decay : 0;
      // The rate enters the velocity, as in the paper: a later change of it spares what is there.
      sgd_update(cut(values), cut(gradients), cut(velocity_),
                 {.lr = 1,
                  .momentum = rates.momentum.value_or(options_.momentum),
                  .intake = rates.lr * (scaled ? local_rate(norms[i], decay) : 1),
                  .weight_decay = decay});
    }
    return loss;
  }

  std::vector<std::pair<std::string, torch::Tensor>> state() override {
    return {{"momentum_buffer", velocity_}};
  }

 private:
  /// Equation 6; 1 where a layer or its gradient is zero, so that it can leave zero.
  double local_rate(const LayerNorms& norms, double decay) const {
    if (norms.first == 0 || norms.second == 0) return 1;
    return options_.trust * norms.first / (norms.second + decay * norms.first);
  }

  Shard shard_;
  LarsOptions options_;
  torch::Tensor velocity_;  // fp32 [P]
};

}  // namespace

OptimizerPlugin lars_optimizer() {
  return {lars_options(),
          [](const Shard& shard, const LarsOptions& options) {
            return std::make_unique<Lars>(shard, options);
          },
          OptimizerTraits{.default_lr = 1, .elementwise = false, .can_leave_decay_off = true}};
}

}  // namespace yoke
