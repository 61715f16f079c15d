#include "yoke/parallel/strategy.h"

#include "yoke/optim/scaled.h"

namespace yoke {

StepResult take_step(Optimizer& optimizer, const std::function<Forward()>& compute,
                     const Rates& rates) {
  StepResult result;
  const Objective objective = [&] {
    Forward latest = compute();
    if (!result.scores.defined()) result.scores = std::move(latest.scores);
    return latest.loss;
  };
  result.loss = optimizer.step(objective, rates);
  return result;
}

std::unique_ptr<Optimizer> optimizer_of(const StrategyContext& context, const Shard& shard) {
  return make_optimizer(context.optimizer, shard, context.scaler);
}

DataShard data_shard_of(const Communicator& communicator) {
  return {communicator.rank(), communicator.size()};
}

}  // namespace yoke
