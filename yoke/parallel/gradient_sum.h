// yoke/parallel/gradient_sum.h: the gradient over the images of all ranks.
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "yoke/parallel/buckets.h"
#include "yoke/parallel/compression.h"
#include "yoke/parallel/sharding/shards.h"
#include "yoke/parallel/strategy.h"

namespace yoke {

/// How gradients go between ranks.
struct GradientSumOptions {
  BucketSizes buckets;
  std::int64_t accumulate = 1;  ///< Parts of a rank's batch, one after the other.
  /// Whether ranks meet in each part, and so must all have as many, whatever their images.
  bool parts_meet = false;
  std::string compress = "none";  ///< See make_compression().
};

/// Sums gradients over ranks in buckets, while the backward pass goes on (Li et al. 2020, "PyTorch
/// Distributed: Experiences on Accelerating Data Parallel Training").
class GradientSum {
 public:
  /// With `shards`, only this rank's part of the gradient is summed; both must outlive it.
  GradientSum(const StrategyContext& context, const GradientSumOptions& options,
              Shards* shards = nullptr);
  GradientSum(const GradientSum&) = delete;
  GradientSum& operator=(const GradientSum&) = delete;

  /// Forward and backward of this rank's part of a step; leaves the gradient of the mean loss over
  /// all its images, and returns that loss with this rank's scores.
  Forward compute(const Batch& batch, const StepKey& key);

  Compression& compression() { return *compression_; }
  double seconds() const { return seconds_; }  ///< Spent waiting for others, so far.

 private:
  Forward accumulate(const Batch& batch, const StepKey& key);

  Engine& engine_;
  FlatParameters& parameters_;
  Communicator& communicator_;
  const std::int64_t accumulate_;
  const bool parts_meet_;
  Shards* const shards_;
  const std::unique_ptr<Compression> compression_;
  BucketFiller filler_;
  double seconds_ = 0;
};

}  // namespace yoke
