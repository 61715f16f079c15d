#include "yoke/parallel/sharded_optimizer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "yoke/core/error.h"

namespace yoke {
namespace {

using torch::Tensor;

/// Whether `tensor`, state of a part of `size` elements, has one for each along its last
/// dimension; `empty` is the same state of a part without elements.
bool is_cut(const Tensor& tensor, const Tensor& empty, std::int64_t size) {
  if (tensor.dim() == 0 || empty.dim() != tensor.dim()) return false;
  auto shape = tensor.sizes().vec();
  if (shape.back() != size || empty.size(-1) != 0) return false;
  shape.back() = 0;
  return empty.sizes() == shape;
}

class ShardedOptimizer final : public Optimizer {
 public:
  ShardedOptimizer(const MakePart& make, Shards& shards)
      : shards_(shards), inner_(make({shards.own(), shards.sum()})) {
    FlatParameters nothing = shards.own().part(0, 0);
    const auto empty = make({nothing, shards.sum()})->state();
    const auto state = inner_->state();
    for (std::size_t i = 0; i < state.size(); ++i) {
      const auto& [name, tensor] = state[i];
      cut_.push_back(is_cut(tensor, empty[i].second, shards.own().size()));
      if (cut_.back() || tensor.sizes() == empty[i].second.sizes()) continue;
      throw UsageError(fmt::format(
          "the optimizer's state '{}' [{}] has no element for each parameter and cannot be split "
          "over ranks; leave out shard_state, or choose another --optimizer",
          name, fmt::join(tensor.sizes().vec(), ", ")));
    }
  }

  // What the objective is first called at was gathered by the step before.
  Tensor step(const Objective& objective, const Rates& rates) override {
    bool moved = false;
    const auto loss = inner_->step(
        [&] {
          if (std::exchange(moved, true)) shards_.gather_values();
          return objective();
        },
        rates);
    shards_.gather_values();
    return loss;
  }

  double default_lr() const override { return inner_->default_lr(); }

  std::vector<std::pair<std::string, Tensor>> state() override {
    shards_.forget();
    auto state = inner_->state();
    for (std::size_t i = 0; i < state.size(); ++i) {
      if (cut_[i]) state[i].second = shards_.whole(state[i].second);
    }
    return state;
  }

 private:
  Shards& shards_;
  const std::unique_ptr<Optimizer> inner_;
  std::vector<bool> cut_;  // by tensor of the inner state
};

}  // namespace

std::unique_ptr<Optimizer> make_sharded_optimizer(const MakePart& make, Shards& shards) {
  return std::make_unique<ShardedOptimizer>(make, shards);
}

}  // namespace yoke
