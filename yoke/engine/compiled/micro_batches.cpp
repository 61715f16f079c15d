// yoke/engine/compiled/micro_batches.cpp: into how many micro-batches a part of a batch is cut.
#include <algorithm>

#include "yoke/engine/compiled/compiled_engine.h"
#include "yoke/engine/compiled/memory/cache.h"

namespace yoke::compiled {

// Larger ones read weights and write their gradients less often, smaller ones keep activations
// near. Measured: a few times the core's own cache is best, and as much again as the weights weigh.
std::int64_t Compiled::fit_to_cache(const LayerGraph& graph, bool training) {
  constexpr std::int64_t kLeast = 16, kCaches = 4;
  WeightStore weights(engine_, parameters_);  // of its own: formats may depend on the batch
  StatisticsStore statistics(1);
  GradientStore gradients(engine_);
  Workspace workspace{engine_, dnnl::stream(engine_), weights, gradients, statistics, 0};
  const auto plan = Builder(graph, workspace, plan_options(training, kLeast, 1)).build();
  const auto per_image = static_cast<std::int64_t>(plan->bytes()) / kLeast + 1;
  const std::int64_t weight_bytes = parameters_.size() * std::int64_t{sizeof(float)};
  const std::int64_t room =
      kCaches * static_cast<std::int64_t>(core_cache_bytes()) + 2 * weight_bytes;
  return std::max(kLeast, room / per_image);
}

std::int64_t Compiled::micro_batches(const LayerGraph& graph, std::int64_t images, bool training) {
  if (graph.mixes_images()) return 1;
  auto& most = most_images_[training ? 1 : 0];
  if (options_.micro_batch > 0) most = options_.micro_batch;
  if (most == 0) most = fit_to_cache(graph, training);
  return images / most + (images % most == 0 ? 0 : 1);
}

std::int64_t Compiled::runs_of(const LayerGraph& graph, const std::vector<Range>& parts,
                               bool training) {
  std::int64_t runs = 0;
  for (const Range& part : parts) runs += micro_batches(graph, part.size(), training);
  return runs;
}

std::int64_t Compiled::micro_batch(std::int64_t batch_size) {
  const std::int64_t images = (batch_size + team_.size() - 1) / team_.size();
  const std::int64_t parts = micro_batches(training_graph_, images, true);
  return (images + parts - 1) / parts;
}

}  // namespace yoke::compiled
