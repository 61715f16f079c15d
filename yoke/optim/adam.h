// yoke/optim/adam.h: what Adam and AdamW share.
#pragma once
#include "yoke/optim/optimizer.h"

namespace yoke {

/// Whether weight decay joins the gradient (Adam) or shrinks the parameters by itself (AdamW).
enum class WeightDecay { kInGradient, kDecoupled };

/// Adam (Kingma and Ba, ICLR 2015, algorithm 1) with either kind of weight decay.
class Adam final : public Optimizer {
 public:
  /// Reads beta1, beta2, epsilon and weight_decay from `options`.
  Adam(FlatParameters& parameters, Options& options, WeightDecay kind, double default_decay);

  torch::Tensor step(const Objective& objective, const Rates& rates) override;
  double default_lr() const override { return 1e-3; }
  std::vector<std::pair<std::string, torch::Tensor>> state() override;

 private:
  FlatParameters& parameters_;
  WeightDecay kind_;
  double beta1_, beta2_, epsilon_, weight_decay_;
  torch::Tensor steps_;          // int64 [1]
  torch::Tensor mean_, square_;  // fp32 [P]
};

}  // namespace yoke
