// yoke/engine/compiled/micro_batches.cpp: into how many micro-batches a part of a batch is cut.
#include <algorithm>
#include <limits>

#include "yoke/engine/compiled/compiled_engine.h"
#include "yoke/engine/compiled/memory/cache.h"

namespace yoke::compiled {
namespace {

/// Images of a plan that is made to see what an image takes.
constexpr std::int64_t kSample = 16;

/// Of a replica's activations that wait for the heavy end, counted as fp32.
constexpr std::int64_t kMostKeptBytes = std::int64_t{128} << 20;

}  // namespace

// Larger ones read weights and write their gradients less often, smaller ones keep activations
// near. Measured: a few times the core's own cache is best, and as much again as the weights weigh.
std::int64_t Compiled::fit_to_cache(const LayerGraph& graph, bool training) {
  const bool in_sections = graph.mixes_images();
  WeightStore weights(engine_, parameters_);  // of its own: formats may depend on the batch
  StatisticsStore statistics(1);
  GradientStore gradients(engine_);
  Workspace workspace{engine_, dnnl::stream(engine_), weights, gradients, statistics, 0};
  PlanOptions options = plan_options(training, kSample, 1);
  options.parts = in_sections ? 2 : 1;
  options.batch *= options.parts;
  const auto plan = Builder(graph, workspace, options).build();
  const auto per_image = static_cast<std::int64_t>(plan->bytes_at_once()) / kSample + 1;
  const std::int64_t weight_bytes = parameters_.size() * std::int64_t{sizeof(float)};
  const auto caches = static_cast<std::int64_t>(core_cache_bytes());
  if (!in_sections) return std::max(kSample, (4 * caches + 2 * weight_bytes) / per_image);
  // Parts cost 1 to 15 % where a network computes much with each byte: it does not wait for memory.
  constexpr double kFlopsOfAByte = 128;
  const bool waits = flops_per_image() < kFlopsOfAByte * static_cast<double>(per_image);
  if (!waits) return std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kLeastInSections = 4;
  return std::max(kLeastInSections, (12 * caches + 2 * weight_bytes) / per_image);
}

std::int64_t Compiled::most_images(const LayerGraph& graph, bool training) {
  if (options_.micro_batch > 0) return options_.micro_batch;
  auto& most = most_images_[training ? 1 : 0];
  if (most == 0) most = fit_to_cache(graph, training);
  return most;
}

std::int64_t Compiled::micro_batches(const LayerGraph& graph, std::int64_t images, bool training) {
  if (graph.mixes_images()) return 1;
  const std::int64_t most = most_images(graph, training);
  return images / most + (images % most == 0 ? 0 : 1);
}

std::int64_t Compiled::section_parts(const LayerGraph& graph, std::int64_t images, bool training) {
  if (!graph.mixes_images()) return 1;
  const std::int64_t most = most_images(graph, training);
  const bool chosen = options_.micro_batch > 0;
  // Measured: what is not much larger than a part takes no longer whole.
  if (images <= most || (!chosen && images / 3 <= most)) return 1;
  const std::int64_t least = chosen ? 1 : most / 2;  // smaller ones cost more than they bring
  for (std::int64_t parts = images / most; images / parts >= least; ++parts) {
    if (images % parts == 0 && images / parts <= most) return parts;
  }
  return 1;
}

Compiled::Cut Compiled::cut_of(const Work& work, std::int64_t images) {
  constexpr std::int64_t kMost = 16;
  const std::int64_t count = micro_batches(work.graph, images, work.training);
  const Cut apart{.alone = count, .joined = 0, .size = 0};
  const bool early = options_.early_gradients && work.training && !work.graph.mixes_images() &&
                     heavy_end_.begin < work.graph.layers.size();
  if (!early || count == 1) return apart;
  // Of two that are unlike none has another to go with.
  const std::int64_t parts = count == 2 && images % 2 != 0 ? 3 : count;
  const std::int64_t size = (images + parts - 1) / parts;
  const std::int64_t kept = heavy_end_.values_before * std::int64_t{sizeof(float)} * size;
  const std::int64_t room = kMostKeptBytes / std::max<std::int64_t>(1, kept);
  const std::int64_t joined = std::min({images / size, kMost, room});
  return joined > 1 ? Cut{.alone = parts - joined, .joined = joined, .size = size} : apart;
}

std::int64_t Compiled::runs_of(const LayerGraph& graph, const std::vector<Range>& parts,
                               bool training) {
  std::int64_t runs = 0;
  for (const Range& part : parts) runs += micro_batches(graph, part.size(), training);
  return runs;
}

std::int64_t Compiled::micro_batch(std::int64_t batch_size) {
  const std::int64_t images = (batch_size + team_.size() - 1) / team_.size();
  const std::int64_t parts =
      micro_batches(training_graph_, images, true) * section_parts(training_graph_, images, true);
  return (images + parts - 1) / parts;
}

}  // namespace yoke::compiled
