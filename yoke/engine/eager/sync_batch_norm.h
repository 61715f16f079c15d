// yoke/engine/eager/sync_batch_norm.h: batch norm over the batches of all ranks (Ioffe and Szegedy
// 2015).
#pragma once
#include <torch/types.h>

#include "yoke/core/sum_over_ranks.h"
#include "yoke/engine/eager/batch_norm_hook.h"

namespace yoke {

/// While it lives, every batch norm in training mode that this thread runs takes mean and variance
/// over the images of all ranks, forward and backward; those of other threads are as ever. All
/// ranks run the same layers in the same order, also with no images.
class SyncBatchNorm {
 public:
  /// `sum` must outlive it. It is called in this thread, a copy of it in that of the backward pass.
  explicit SyncBatchNorm(const SumOverRanks& sum);
  ~SyncBatchNorm();
  SyncBatchNorm(const SyncBatchNorm&) = delete;
  SyncBatchNorm& operator=(const SyncBatchNorm&) = delete;

 private:
  const SumOverRanks* const before_;
  const BatchNormHook hook_;
};

}  // namespace yoke
