// yoke/engine/compiled/measure.cpp: the compiled engine as `yoke bench step` looks at it.
#include <ATen/Context.h>

#include "yoke/core/system/clock.h"
#include "yoke/engine/compiled/compiled_engine.h"

namespace yoke::compiled {
namespace {

/// While it lives, this thread takes numbers too small to be normal, which are slow, for zero.
class FlushDenormals {
 public:
  FlushDenormals() { at::globalContext().setFlushDenormal(true); }
  ~FlushDenormals() { at::globalContext().setFlushDenormal(false); }
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;
};

}  // namespace

void Compiled::run_primitives(const Batch& given) {
  const Batch batch = check(given);
  auto scores = torch::empty({batch.size(), classes()});
  std::vector<double> losses(static_cast<std::size_t>(batch.size()));
  const Work work = training_work(batch, scores, losses, {});
  run(work, replica_parts(work), [](Plan& plan, const MicroBatch& micro, int) {
    const FlushDenormals flush;  // what the other steps would have written may be anything
    plan.walk(micro, [&](std::size_t index, const MicroBatch& images) {
      if (const Step& step = plan.steps()[index]; step.primitive) step.run(images);
    });
  });
}

std::vector<StepCost> Compiled::profile(const Batch& given, int repetitions) {
  const Batch batch = check(given);
  auto scores = torch::empty({batch.size(), classes()});
  std::vector<double> losses(static_cast<std::size_t>(batch.size()));
  const Work work = training_work(batch, scores, losses, {});
  const auto parts = replica_parts(work);
  const std::int64_t images = parts.back().size();
  const std::int64_t count = micro_batches(training_graph_, images, true);
  PlanOptions options =
      plan_options(true, (images + count - 1) / count, runs_of(training_graph_, parts, true));
  options.parts = section_parts(training_graph_, options.batch, true);
  Plan& plan = replicas_.front().plan(training_graph_, options);
  std::vector<StepCost> costs;
  for (const Step& step : plan.steps()) {
    costs.push_back({.layer = step.layer,
                     .operation = step.operation,
                     .pass = word_of(step.pass),
                     .milliseconds = 0,
                     .flops = 0,
                     .primitive = step.primitive});
  }
  for (int i = 0; i <= repetitions; ++i) {  // the first one warms up
    plan.walk(work.micro, [&](std::size_t s, const MicroBatch& images) {
      const Stopwatch watch;
      plan.steps()[s].run(images);
      if (i == 0) return;
      costs[s].milliseconds += 1e3 * watch.seconds() / repetitions;
      costs[s].flops += plan.steps()[s].flops / repetitions;
    });
  }
  return costs;
}

double Compiled::flops_per_image() const {
  double flops = 0;
  const auto& wants = wanted_gradients(training_graph_);
  for (const auto& layer : training_graph_.layers) {
    const bool data = wants[static_cast<std::size_t>(layer->inputs.front())];
    flops += layer->flops() * (data ? 3 : 2);
  }
  return flops;
}

}  // namespace yoke::compiled
