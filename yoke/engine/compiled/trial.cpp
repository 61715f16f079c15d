#include "yoke/engine/compiled/trial.h"

#include "yoke/engine/compiled/memory/reduce.h"

namespace yoke::compiled {

Trial try_plan(const LayerGraph& graph, const FlatParameters& parameters, const Batch& batch,
               PlanOptions options) {
  FlatParameters own = parameters.clone();
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  WeightStore weights(engine, own);
  StatisticsStore statistics(1);
  Replica replica(engine, weights, statistics, 0, nullptr);
  options.batch = batch.size();
  Plan& plan = replica.plan(graph, options);
  weights.refresh(0, 1, replica.stream());
  const auto classes = graph.values[static_cast<std::size_t>(graph.output)].shape.channels;
  Trial trial{.scores = torch::empty({batch.size(), classes}), .gradients = {}, .completed = {}};
  std::vector<double> losses(static_cast<std::size_t>(batch.size()));
  const std::function<void(ParameterId)> completed = [&](ParameterId id) {
    trial.completed.push_back(id);
  };
  MicroBatch micro;
  micro.input = batch.input.data_ptr();
  micro.target = batch.target.data_ptr<std::int64_t>();
  micro.scores = trial.scores.data_ptr<float>();
  micro.losses = losses.data();
  micro.step_images = batch.size();
  micro.completed = &completed;
  plan.run(micro);
  if (options.training) {
    GradientReducer(engine, own, 1).run(0, {&replica.gradients()}, replica.stream());
    trial.gradients = own.gradients();
  }
  return trial;
}

}  // namespace yoke::compiled
