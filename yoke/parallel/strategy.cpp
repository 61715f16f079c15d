#include "yoke/parallel/strategy.h"

#include <ATen/record_function.h>

#include "yoke/optim/scaled.h"

namespace yoke {
namespace {

Forward gradient(const std::function<Forward()>& compute) {
  RECORD_USER_SCOPE("gradient");
  return compute();
}

}  // namespace

StepResult take_step(Optimizer& optimizer, const std::function<Forward()>& compute,
                     const Rates& rates) {
  StepResult result;
  const Objective objective = [&] {
    Forward latest = gradient(compute);
    if (!result.scores.defined()) result.scores = std::move(latest.scores);
    return latest.loss;
  };
  RECORD_USER_SCOPE("optimizer, with the gradient that it asks for");
  result.loss = optimizer.step(objective, rates);
  return result;
}

std::unique_ptr<Optimizer> optimizer_of(const StrategyContext& context, const Shard& shard) {
  Shard recorded = shard;
  if (shard.parameters.values().is_cuda()) recorded.graph = context.graph;
  return make_optimizer(context.optimizer, recorded, context.scaler);
}

DataShard data_shard_of(const Communicator& communicator) {
  return {communicator.rank(), communicator.size()};
}

}  // namespace yoke
