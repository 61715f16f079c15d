// yoke/optim/optimizers/lamb.cpp: Adam with a rate for each layer (You et al., "Large batch
// optimization for deep learning", ICLR 2020, algorithm 2).
#include "yoke/optim/optimizer.h"
#include "yoke/optim/optimizers/adam_update.h"
#include "yoke/optim/optimizers/layer_norms.h"

namespace yoke {
namespace {

struct LambOptions {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-6;
  double weight_decay = 0.01;
};

OptionTable<LambOptions> lamb_options() {
  using O = LambOptions;
  return {
      {"beta1", &O::beta1, in(0, below(1)), "decay of the gradient's average"},
      {"beta2", &O::beta2, in(0, below(1)), "decay of the average of its square"},
      {{"eps", "epsilon"},
       &O::epsilon,
       at_least(0),
       "added to the divisor; 1e-20 where it is less, so that 0 divides by no zero"},
      {"weight_decay", &O::weight_decay, at_least(0),
       "times the parameters, joins Adam's direction"},
  };
}

class Lamb final : public Optimizer {
 public:
  Lamb(const Shard& shard, const LambOptions& options)
      : shard_(shard),
        options_(options),
        steps_(torch::zeros({1}, torch::kInt64)),
        mean_(torch::zeros_like(shard.parameters.values())),
        square_(torch::zeros_like(mean_)),
        direction_(torch::empty_like(mean_)) {}

  torch::Tensor step(const Objective& objective, const Rates& rates) override {
    torch::Tensor loss = objective();
    const torch::NoGradGuard no_grad;
    find_direction(rates);
    const torch::Tensor values = shard_.parameters.values();
    const auto norms = layer_norms(shard_, values, direction_);
    const auto& slices = shard_.parameters.slices();
    for (std::size_t i = 0; i < slices.size(); ++i) {
      const double ratio = has_layer_rate(slices[i]) ? trust_ratio(norms[i]) : 1;
      part(values, slices[i]).sub_(part(direction_, slices[i]), rates.lr * ratio);
    }
    return loss;
  }

  std::vector<std::pair<std::string, torch::Tensor>> state() override {
    return {{"steps", steps_}, {"exp_avg", mean_}, {"exp_avg_sq", square_}};
  }

 private:
  static torch::Tensor part(const torch::Tensor& vector, const ParameterSlice& slice) {
    return vector.narrow(0, slice.offset, slice.elements);
  }

  /// Adam's step from zero at a rate of -1, and the decay.
  void find_direction(const Rates& rates) {
    steps_.add_(1);
    adam_update(direction_.zero_(), shard_.parameters.gradients(), mean_, square_,
                {.number = steps_.item<std::int64_t>(),
                 .lr = -1,
                 .beta1 = rates.momentum.value_or(options_.beta1),
                 .beta2 = options_.beta2,
                 .epsilon = options_.epsilon});
    for (const auto& slice : shard_.parameters.slices()) {
      if (options_.weight_decay == 0 || !has_layer_rate(slice)) continue;
      if (leaves_off(shard_.no_decay, slice)) continue;
      part(direction_, slice).add_(part(shard_.parameters.values(), slice), options_.weight_decay);
    }
  }

  /// 1 where a layer or its direction is zero, so that it can leave zero.
  static double trust_ratio(const LayerNorms& norms) {
    return norms.first == 0 || norms.second == 0 ? 1 : norms.first / norms.second;
  }

  Shard shard_;
  LambOptions options_;
  torch::Tensor steps_;          // int64 [1]
  torch::Tensor mean_, square_;  // fp32 [P]
  torch::Tensor direction_;      // fp32 [P], of use within a step alone
};

}  // namespace

OptimizerPlugin lamb_optimizer() {
  return {lamb_options(),
          [](const Shard& shard, const LambOptions& options) {
            return std::make_unique<Lamb>(shard, options);
          },
          OptimizerTraits{.default_lr = 0.005, .elementwise = false, .can_leave_decay_off = true}};
}

}  // namespace yoke
