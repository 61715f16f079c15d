// yoke/optim/optimizers/adam.h: what Adam and AdamW share.
#pragma once
#include "yoke/optim/optimizer.h"

namespace yoke {

/// Whether weight decay joins the gradient (Adam) or shrinks the parameters by itself (AdamW).
enum class WeightDecay { kInGradient, kDecoupled };

struct AdamOptions {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0;
};

/// The options of an optimizer that is Adam but for its `defaults` and what weight decay does.
OptionTable<AdamOptions> adam_options(const AdamOptions& defaults, const std::string& decay);

/// Adam (Kingma and Ba, ICLR 2015, algorithm 1) with either kind of weight decay.
class Adam final : public Optimizer {
 public:
  Adam(const Shard& shard, const AdamOptions& options, WeightDecay kind);

  torch::Tensor step(const Objective& objective, const Rates& rates) override;
  std::vector<std::pair<std::string, torch::Tensor>> state() override;

 private:
  FlatParameters& parameters_;
  WeightDecay kind_;
  double beta1_, beta2_, epsilon_, weight_decay_;
  const std::vector<ElementRange> undecayed_;
  torch::Tensor steps_;          // int64 [1]
  torch::Tensor mean_, square_;  // fp32 [P]
};

}  // namespace yoke
