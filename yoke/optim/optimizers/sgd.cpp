// yoke/optim/optimizers/sgd.cpp: SGD with momentum (Polyak 1964; Nesterov's form as in Sutskever et
// al. 2013).
#include "yoke/core/error.h"
#include "yoke/optim/optimizer.h"
#include "yoke/optim/optimizers/sgd_update.h"

namespace yoke {
namespace {

struct SgdOptions {
  double momentum = 0;
  double dampening = 0;
  double weight_decay = 0;
  bool nesterov = false;
};

OptionTable<SgdOptions> sgd_options() {
  using O = SgdOptions;
  return {
      {"momentum", &O::momentum, in(0, 1), "decay of the velocity"},
      {"dampening", &O::dampening, in(0, 1), "the velocity takes in 1 minus this of the gradient"},
      {"weight_decay", &O::weight_decay, at_least(0), "times the parameters, joins the gradient"},
      {"nesterov", &O::nesterov, "Nesterov's form; needs momentum"},
  };
}

class Sgd final : public Optimizer {
 public:
  Sgd(const Shard& shard, const SgdOptions& options)
      : parameters_(shard.parameters),
        options_(options),
        undecayed_(undecayed_ranges(shard.parameters, shard.no_decay)),
        steps_(torch::zeros({1}, torch::kInt64)) {
    if (options.momentum > 0) velocity_ = torch::zeros_like(parameters_.values());
  }

  torch::Tensor step(const Objective& objective, const Rates& rates) override {
    torch::Tensor loss = objective();
    const torch::NoGradGuard no_grad;
    const bool first = steps_.item<std::int64_t>() == 0;
    sgd_update(parameters_.values(), parameters_.gradients(), velocity_,
               {.lr = rates.lr,
                // A schedule's momentum has no velocity to act on where the own momentum is 0.
                .momentum = rates.momentum.value_or(options_.momentum),
                // As in PyTorch the first gradient becomes the velocity as it is.
                .intake = first ? 1 : 1 - options_.dampening,
                .weight_decay = options_.weight_decay,
                .nesterov = options_.nesterov,
                .undecayed = undecayed_});
    steps_.add_(1);
    return loss;
  }

  std::vector<std::pair<std::string, torch::Tensor>> state() override {
    std::vector<std::pair<std::string, torch::Tensor>> state{{"steps", steps_}};
    if (velocity_.defined()) state.emplace_back("momentum_buffer", velocity_);
    return state;
  }

 private:
  FlatParameters& parameters_;
  SgdOptions options_;
  const std::vector<ElementRange> undecayed_;
  torch::Tensor steps_;     // int64 [1]
  torch::Tensor velocity_;  // fp32 [P], undefined without momentum
};

std::unique_ptr<Optimizer> make_sgd(const Shard& shard, const SgdOptions& options) {
  if (options.nesterov && (options.momentum == 0 || options.dampening != 0)) {
    throw UsageError(fmt::format(
        "optimizer 'sgd' was given nesterov with momentum={} and dampening={}; Nesterov's form "
        "needs a momentum above 0 and no dampening: try sgd:momentum=0.9,nesterov=true",
        options.momentum, options.dampening));
  }
  return std::make_unique<Sgd>(shard, options);
}

}  // namespace

OptimizerPlugin sgd_optimizer() {
  return {sgd_options(), make_sgd,
          OptimizerTraits{.default_lr = 0.02, .can_leave_decay_off = true}};
}

}  // namespace yoke
