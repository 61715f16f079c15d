// yoke/engine/compiled/compiled_engine.h: plans, replicas and stores put together.
#pragma once
#include <array>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "yoke/core/system/team.h"
#include "yoke/engine/compiled.h"
#include "yoke/engine/compiled/graph/heavy_end.h"
#include "yoke/engine/compiled/graph/traced.h"
#include "yoke/engine/compiled/memory/reduce.h"
#include "yoke/engine/compiled/replica.h"

namespace yoke::compiled {

/// Images [begin, end) of a batch.
struct Range {
  std::int64_t begin = 0, end = 0;
  std::int64_t size() const { return end - begin; }
};

/// Implements make_compiled_engine().
class Compiled final : public CompiledEngine {
 public:
  Compiled(Model& model, FlatParameters& parameters, const CompiledOptions& options);

  Forward gradient(const Batch& given, const StepKey& key, const GradientReady& ready) override;
  void synchronise_batch_norm(SumOverRanks sum) override;
  torch::Tensor predict(const torch::Tensor& images) override;

  std::string describe(std::int64_t batch_size) override;
  double flops_per_image() const override;
  std::vector<StepCost> profile(const Batch& given, int repetitions) override;
  void run_primitives(const Batch& given) override;

 private:
  /// What a pass over a batch works on; one of gradient(), predict().
  struct Work {
    const LayerGraph& graph;
    bool training = true;
    MicroBatch micro;  // of the first image
    Range images;
  };

  /// What the model does in either mode.
  struct Traces {
    TracedGraph training, inference;
  };

  Compiled(Model& model, FlatParameters& parameters, const CompiledOptions& options,
           const Traces& traces);
  PlanOptions plan_options(bool training, std::int64_t batch, std::int64_t runs) const;
  Work training_work(const Batch& batch, torch::Tensor& scores, std::vector<double>& losses,
                     const StepKey& key) const;
  torch::Tensor check(const torch::Tensor& input) const;
  Batch check(const Batch& batch) const;
  /// How many parts a replica computes `images` in, each through all layers but a heavy end.
  std::int64_t micro_batches(const LayerGraph& graph, std::int64_t images, bool training);
  /// How many parts it computes `images` in between two layers that mix images.
  std::int64_t section_parts(const LayerGraph& graph, std::int64_t images, bool training);
  /// Micro-batches of all replicas.
  std::int64_t runs_of(const LayerGraph& graph, const std::vector<Range>& parts, bool training);
  /// Images that a replica computes at most at once.
  std::int64_t most_images(const LayerGraph& graph, bool training);
  /// Images whose pass fits a core's own cache, or in networks that mix images, its largest
  /// section.
  std::int64_t fit_to_cache(const LayerGraph& graph, bool training);
  std::vector<Range> replica_parts(const Work& work) const;
  /// A plan, and the images that it computes.
  struct Part {
    Plan* plan;
    Range images;
  };
  /// What a replica does with `images`, one after the other.
  std::vector<Part> program(const Work& work, const Range& images, std::int64_t runs,
                            Replica& replica);
  /// A replica's micro-batches: nearly equal ones by themselves, then those of `size` images each
  /// that go together through the heavy end.
  struct Cut {
    std::int64_t alone, joined, size;
  };
  Cut cut_of(const Work& work, std::int64_t images);
  void run(const Work& work, const std::vector<Range>& parts,
           const std::function<void(Plan&, const MicroBatch&, int replica)>& run_plan);
  void run_handing_over(const Work& work, const std::vector<Range>& parts,
                        const GradientReady& ready);
  std::vector<const GradientStore*> gradient_stores(const std::vector<Range>& parts) const;
  void update_statistics(const std::vector<Range>& parts);
  std::int64_t micro_batch(std::int64_t batch_size);
  std::int64_t classes() const;

  Model& model_;
  FlatParameters& parameters_;
  CompiledOptions options_;
  LayerGraph training_graph_;
  LayerGraph inference_graph_;
  HeavyEnd heavy_end_;  // of the training graph
  dnnl::engine engine_;
  Team team_;
  WeightStore weights_;
  StatisticsStore statistics_;
  GradientReducer reducer_;
  std::deque<Replica> replicas_;
  std::array<std::int64_t, 2> most_images_{};  // at once, in evaluation and in training; 0 unknown
};

}  // namespace yoke::compiled
