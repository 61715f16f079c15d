// yoke/parallel/strategies/lockstep.cpp: the mean gradient over all ranks, summed when all of it is
// there.
#include "yoke/core/system/clock.h"
#include "yoke/parallel/agreement.h"
#include "yoke/parallel/strategy.h"
#include "yoke/parallel/workers/in_step.h"

namespace yoke {
namespace {

class Lockstep final : public Strategy {
 public:
  explicit Lockstep(const StrategyContext& context)
      : context_(context),
        workers_(data_shard_of(context.communicator)),
        optimizer_(optimizer_of(context, context.parameters)) {}

  Workers& workers() override { return workers_; }

  void begin(const RunShape&) override {
    broadcast_model(context_.parameters, context_.buffers, context_.communicator);
  }

  StepResult step(const Batch& batch, const StepKey& key, const Rates& rates) override {
    double waited = 0;
    StepResult result = take_step(
        *optimizer_,
        [&] {
          Forward forward = context_.engine.gradient(batch, key);
          forward.loss = forward.loss.clone();
          const Stopwatch watch;
          context_.communicator.all_reduce(context_.parameters.gradients());
          context_.communicator.all_reduce(forward.loss);
          waited += watch.seconds();
          return forward;
        },
        rates);
    result.communication_seconds = waited;
    return result;
  }

  std::function<void()> synchronise() override {
    average_buffers(context_.buffers, context_.communicator);
    return [] {};
  }

  NamedTensors state() override { return optimizer_->state(); }
  void restored() override {}
  StrategyStatistics statistics() const override { return {}; }

 private:
  const StrategyContext context_;
  InStep workers_;
  const std::unique_ptr<Optimizer> optimizer_;
};

}  // namespace

StrategyPlugin lockstep_strategy() {
  const StrategyTraits traits{
      .plan = [] { return forecast::StrategyPlan{.kind = forecast::StrategyKind::kAllReduce}; }};
  return {no_options(),
          [](const StrategyContext& context, const NoOptions&) {
            return std::make_unique<Lockstep>(context);
          },
          traits};
}

}  // namespace yoke
