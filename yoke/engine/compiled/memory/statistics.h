// yoke/engine/compiled/memory/statistics.h: running statistics of batch norm over replicas.
#pragma once
#include <torch/types.h>

#include <deque>
#include <vector>

#include "yoke/engine/compiled/graph/layer_graph.h"
#include "yoke/engine/compiled/memory/aligned.h"

namespace yoke::compiled {

/// The statistics of one batch norm layer: what each replica found in its part of the batch, and
/// the running mean and variance, fp32 [C], that follow from all of them. Layers that share a
/// module share the latter.
struct Statistics {
  ValueId layer = -1;  ///< By its output.
  torch::Tensor running_mean, running_variance;
  double momentum = 0;
  std::int64_t area = 1;  ///< Pixels per image.
  struct Part {
    AlignedBytes mean, variance;  ///< fp32 [C]; the variance is the biased one.
  };
  std::vector<Part> parts;  ///< By replica.
};

/// All batch norm layers of a model.
class StatisticsStore {
 public:
  explicit StatisticsStore(int replicas) : replicas_(replicas) {}

  /// Those of `layer`; made where there are none yet, in the order of the forward pass.
  Statistics& get(ValueId layer, const torch::Tensor& running_mean,
                  const torch::Tensor& running_variance, double momentum, std::int64_t area);

  /// Moves the running statistics by those of the whole batch, of which replica r had `images[r]`.
  void update(const std::vector<std::int64_t>& images);

 private:
  int replicas_;
  std::deque<Statistics> layers_;
};

}  // namespace yoke::compiled
