// yoke/engine/eager/part_statistics.h: running statistics of batch norm over parts of a batch.
#pragma once
#include <torch/types.h>

#include <vector>

#include "yoke/engine/eager/batch_norm_hook.h"

namespace yoke {

/// What one batch norm found in a part of a batch.
struct PartStatistics {
  torch::Tensor running_mean, running_variance;  ///< fp32 [C], to be moved; as they were.
  double momentum = 0;
  double count = 0;              ///< Values per channel.
  torch::Tensor mean, variance;  ///< fp32 [C]; the variance is the unbiased one.
};

/// While it lives, batch norms in training mode that this thread runs leave their running
/// statistics alone, and append what they found to `found`, in the order of the forward pass.
class StatisticsRecorder {
 public:
  /// `found` must outlive it.
  explicit StatisticsRecorder(std::vector<PartStatistics>& found);

 private:
  const BatchNormHook hook_;
};

/// Moves the running statistics of the first part by those of the whole batch.
/// @throws Error when the parts ran different layers, or a layer had one value per channel.
void move_running_statistics(const std::vector<std::vector<PartStatistics>>& parts);

}  // namespace yoke
