#include "yoke/parallel/sharding/sharded_optimizer.h"

#include <utility>

namespace yoke {
namespace {

using torch::Tensor;

class ShardedOptimizer final : public Optimizer {
 public:
  ShardedOptimizer(const MakePart& make, Shards& shards)
      : shards_(shards), state_(make, {shards.own(), shards.sum()}, shards) {}

  // What the objective is first called at was gathered by the step before.
  Tensor step(const Objective& objective, const Rates& rates) override {
    bool moved = false;
    const auto loss = state_.part().step(
        [&] {
          if (std::exchange(moved, true)) shards_.gather_values();
          return objective();
        },
        rates);
    shards_.gather_values();
    return loss;
  }

  NamedTensors state() override { return state_.whole(); }

 private:
  Shards& shards_;
  ShardedState state_;
};

}  // namespace

std::unique_ptr<Optimizer> make_sharded_optimizer(const MakePart& make, Shards& shards) {
  return std::make_unique<ShardedOptimizer>(make, shards);
}

}  // namespace yoke
