#include "yoke/optim/frozen.h"

#include <algorithm>

namespace yoke {
namespace {

using torch::Tensor;

class WithoutFrozen final : public Optimizer {
 public:
  WithoutFrozen(std::unique_ptr<Optimizer> optimizer, const Shard& shard)
      : optimizer_(std::move(optimizer)) {
    for (const auto& slice : shard.parameters.slices()) {
      if (!slice.frozen) continue;
      values_.push_back(shard.parameters.values().narrow(0, slice.offset, slice.elements));
      gradients_.push_back(shard.parameters.gradients().narrow(0, slice.offset, slice.elements));
    }
  }

  Tensor step(const Objective& objective, const Rates& rates) override {
    const Objective seen = [&] {
      put_back();  // where the optimizer asks again
      Tensor loss = objective();
      hide();
      return loss;
    };
    try {
      Tensor loss = optimizer_->step(seen, rates);
      put_back();
      return loss;
    } catch (...) {
      put_back();
      throw;
    }
  }

  std::vector<std::pair<std::string, Tensor>> state() override { return optimizer_->state(); }

 private:
  void hide() {
    const torch::NoGradGuard no_grad;
    for (auto& values : values_) {
      kept_.push_back(values.clone());
      values.zero_();
    }
    for (auto& gradients : gradients_) gradients.zero_();
  }

  void put_back() {
    const torch::NoGradGuard no_grad;
    for (std::size_t i = 0; i < kept_.size(); ++i) values_[i].copy_(kept_[i]);
    kept_.clear();
  }

  const std::unique_ptr<Optimizer> optimizer_;
  std::vector<Tensor> values_, gradients_;  // of each frozen parameter, views
  std::vector<Tensor> kept_;                // their values while they are hidden, else none
};

}  // namespace

std::unique_ptr<Optimizer> leave_frozen(std::unique_ptr<Optimizer> optimizer, const Shard& shard) {
  const auto& slices = shard.parameters.slices();
  const bool any =
      std::any_of(slices.begin(), slices.end(), [](const auto& slice) { return slice.frozen; });
  if (!any) return optimizer;
  return std::make_unique<WithoutFrozen>(std::move(optimizer), shard);
}

}  // namespace yoke
