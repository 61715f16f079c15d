#include "yoke/optim/clip.h"

#include "yoke/optim/optimizers/slice_dots.h"

namespace yoke {
namespace {

class Clipped final : public Optimizer {
 public:
  Clipped(std::unique_ptr<Optimizer> optimizer, const Shard& shard, double most)
      : optimizer_(std::move(optimizer)), shard_(shard), most_(most) {}

  torch::Tensor step(const Objective& objective, const Rates& rates) override {
    const auto clipped = [&] {
      torch::Tensor loss = objective();
      clip_gradient(shard_, most_);
      return loss;
    };
    return optimizer_->step(clipped, rates);
  }

  std::vector<std::pair<std::string, torch::Tensor>> state() override {
    return optimizer_->state();
  }

 private:
  std::unique_ptr<Optimizer> optimizer_;
  Shard shard_;
  double most_;
};

}  // namespace

void clip_gradient(const Shard& shard, double most) {
  const torch::NoGradGuard no_grad;
  torch::Tensor gradient = shard.parameters.gradients();
  const ParameterSlice all{
      .name = "", .shape = {}, .offset = 0, .elements = shard.parameters.size()};
  const torch::Tensor square = slice_dots({all}, gradient, gradient);
  if (shard.sum) shard.sum(square);
  const torch::Tensor scale = (most / (square.sqrt() + 1e-6)).clamp_max(1);
  if (scale.is_cpu() && scale.item<double>() == 1) return;  // on a GPU looking costs more
  gradient.mul_(scale.to(torch::kFloat32));
}

std::unique_ptr<Optimizer> make_clipped(std::unique_ptr<Optimizer> optimizer, const Shard& shard,
                                        double most) {
  return std::make_unique<Clipped>(std::move(optimizer), shard, most);
}

}  // namespace yoke
