#include "yoke/optim/frozen.h"

#include <algorithm>

namespace yoke {
namespace {

using torch::Tensor;

/// From the first parameter that learns to the last. Of a shard, all: its state is put together
/// with that of others by its size.
FlatParameters learning_part(const Shard& shard) {
  auto& parameters = shard.parameters;
  if (!shard.is_all) return parameters.part(0, parameters.size());
  std::int64_t begin = parameters.size(), end = 0;
  for (const auto& slice : parameters.slices()) {
    if (slice.frozen) continue;
    begin = std::min(begin, slice.offset);
    end = std::max(end, slice.offset + slice.elements);
  }
  return parameters.part(std::min(begin, end), end);
}

class WithoutFrozen final : public Optimizer {
 public:
  WithoutFrozen(const MakeOptimizer& make, const Shard& shard)
      : part_(learning_part(shard)), optimizer_(make(part_of(shard))) {
    for (const auto& slice : part_.slices()) {
      if (!slice.frozen || slice.elements == 0) continue;
      values_.push_back(part_.values().narrow(0, slice.offset, slice.elements));
      gradients_.push_back(part_.gradients().narrow(0, slice.offset, slice.elements));
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
  Shard part_of(const Shard& shard) {
    Shard part(part_, shard.sum);
    part.graph = shard.graph;
    return part;
  }

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

  FlatParameters part_;
  const std::unique_ptr<Optimizer> optimizer_;
  std::vector<Tensor> values_, gradients_;  // of each frozen parameter, views
  std::vector<Tensor> kept_;                // their values while they are hidden, else none
};

}  // namespace

std::unique_ptr<Optimizer> leave_frozen(const MakeOptimizer& make, const Shard& shard) {
  const auto& slices = shard.parameters.slices();
  const bool any =
      std::any_of(slices.begin(), slices.end(), [](const auto& slice) { return slice.frozen; });
  if (!any) return make(shard);
  return std::make_unique<WithoutFrozen>(make, shard);
}

}  // namespace yoke
