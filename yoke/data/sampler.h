// yoke/data/sampler.h: which images each rank sees at each step.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "yoke/core/epochs.h"
#include "yoke/core/sizes_by_epoch.h"
#include "yoke/data/epoch_order.h"

namespace yoke {

/// A permutation of the images per epoch, cut into batches that are shared out without overlap.
///
/// Batch `k` of an epoch is permutation[k B, min((k + 1) B, images)), B being the batch size of
/// that epoch over all ranks; ranks take contiguous shares of it whose sizes differ by at most one,
/// the larger ones first. Every function is pure and may be called from several threads; copies
/// share their cache.
class Sampler {
 public:
  /// `batch_sizes` count the images of all ranks together. Without `shuffle` the permutation is the
  /// identity; with `weighted` it is that order, in which images repeat, in place of a permutation.
  /// @throws UsageError unless all `batch_sizes` are from 1 to `images`; Error on an impossible
  /// rank.
  Sampler(std::int64_t images, SizesByEpoch batch_sizes, int rank, int ranks, std::uint64_t seed,
          bool shuffle, std::shared_ptr<const WeightedOrder> weighted = nullptr);

  std::int64_t images() const { return images_; }

  /// A step is a batch.
  const Epochs& epochs() const { return epochs_; }

  /// Images in batch `step` of `epoch` over all ranks, in [1, batch size].
  std::int64_t global_size(std::int64_t epoch, std::int64_t step) const;

  /// Where this rank's share of batch `step` of `epoch` begins in that batch.
  std::int64_t first_image(std::int64_t epoch, std::int64_t step) const;

  /// This rank's images of batch `step`, in [0, epochs().steps(epoch)), of `epoch`. Empty where a
  /// batch has fewer images than there are ranks before this one.
  std::vector<std::int64_t> indices(std::int64_t epoch, std::int64_t step) const;

  /// The image at `place`, in [0, global_size(epoch, step)), of batch `step` of `epoch` over all
  /// ranks.
  std::int64_t image_at(std::int64_t epoch, std::int64_t step, std::int64_t place) const;

  /// A number of its own for the image at `place`, in the whole run: what is drawn to change it
  /// hangs on this. It goes by the image; where images repeat, by the place in the epoch.
  std::int64_t image_key(std::int64_t epoch, std::int64_t step, std::int64_t place) const;

  /// Images before batch `step` of `epoch`, in all epochs.
  std::int64_t images_before(std::int64_t epoch, std::int64_t step) const {
    return epoch * images_ + step * batch_sizes_.at(epoch);
  }

 private:
  using Permutation = std::shared_ptr<const std::vector<std::int64_t>>;
  struct Cache;

  Permutation permutation(std::int64_t epoch) const;

  std::int64_t images_;
  SizesByEpoch batch_sizes_;
  Epochs epochs_;
  int rank_;
  int ranks_;
  std::uint64_t seed_;
  bool shuffle_;
  std::shared_ptr<const WeightedOrder> weighted_;  // else null
  std::shared_ptr<Cache> cache_;
};

}  // namespace yoke
