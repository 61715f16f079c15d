// yoke/parallel/strategies/hogwild.cpp: workers that change one vector of parameters without
// waiting for each other (Niu, Recht, Re and Wright 2011, "Hogwild!: A Lock-Free Approach to
// Parallelizing Stochastic Gradient Descent").
//
// A worker copies the parameters as they are, takes a step of its own optimizer on the copy, and
// adds what that changed. Workers are ranks of one host: processes, or threads of one process.
#include "yoke/core/error.h"
#include "yoke/parallel/agreement.h"
#include "yoke/parallel/strategy.h"
#include "yoke/parallel/workers/free_running.h"
#include "yoke/parallel/workers/shared_vector.h"

namespace yoke {
namespace {

class Hogwild final : public Strategy {
 public:
  explicit Hogwild(const StrategyContext& context)
      : context_(context),
        workers_(context.communicator,
                 {.data_shard = [this] { return data_shard_of(context_.communicator); },
                  .depart = [] {},
                  .rest = [] { return std::vector<std::string>(); }}),
        optimizer_(optimizer_of(context, context.parameters)),
        shared_(context.communicator.group(), context.parameters.size()),
        before_(torch::zeros_like(context.parameters.values())) {}

  Workers& workers() override { return workers_; }

  void begin(const RunShape&) override {
    // Others have heard of rank 0 only once its parameters are there.
    if (context_.communicator.rank() == 0) shared_.set(context_.parameters.values());
    broadcast_model(context_.parameters, context_.buffers, context_.communicator);
  }

  StepResult step(const Batch& batch, const StepKey& key, const Rates& rates) override {
    // Once a step: an optimizer that asks again has moved the copy.
    shared_.read(context_.parameters.values(), before_);
    StepResult result = take_step(
        *optimizer_, [&] { return context_.engine.gradient(batch.alone(), key); }, rates);
    shared_.add(context_.parameters.values(), before_);
    ++updates_;
    return result;
  }

  // Ranks have met: nobody adds.
  std::function<void()> synchronise() override {
    shared_.read(context_.parameters.values(), before_);
    average_buffers(context_.buffers, context_.communicator);
    return [] {};
  }

  NamedTensors state() override { return optimizer_->state(); }
  void restored() override {}

  StrategyStatistics statistics() const override {
    return {.counters = {{"updates", static_cast<double>(updates_)}}};
  }

 private:
  const StrategyContext context_;
  FreeRunning workers_;
  const std::unique_ptr<Optimizer> optimizer_;
  SharedVector shared_;
  const torch::Tensor before_;  // fp32 [P], as read
  std::int64_t updates_ = 0;
};

struct HogwildOptions {
  int workers = 0;
};

std::unique_ptr<Strategy> make_hogwild(const StrategyContext& context, const HogwildOptions&) {
  if (!context.parameters.values().is_cpu()) {
    throw UsageError(
        "hogwild adds to one vector in the memory of the processor, which a GPU cannot do word by "
        "word; give --device cpu, or --strategy allreduce for GPUs");
  }
  return std::make_unique<Hogwild>(context);
}

forecast::StrategyPlan plan_hogwild(const HogwildOptions& options) {
  if (options.workers > 0) {
    refuse_plan("threads as workers", "leave out workers, and give --ranks-per-host");
  }
  return {.kind = forecast::StrategyKind::kHogwild, .in_step = false};
}

}  // namespace

StrategyPlugin hogwild_strategy() {
  const OptionTable<HogwildOptions> options = {
      {"workers", &HogwildOptions::workers, in(0, 1024),
       "threads of this process, each a rank with engine, loader and sampler share of its own; 0: "
       "one "
       "per core, or `--threads`; under `yoke run` the processes are the workers"}};
  return {options, make_hogwild, [](const HogwildOptions& chosen) {
            return StrategyTraits{.workers_in_process = chosen.workers,
                                  .plan = [chosen] { return plan_hogwild(chosen); }};
          }};
}

}  // namespace yoke
