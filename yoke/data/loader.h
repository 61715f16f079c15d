// yoke/data/loader.h: batches made ahead of the step by worker threads.
#pragma once
#include <cstdint>
#include <exception>
#include <memory>
#include <stop_token>
#include <thread>
#include <variant>
#include <vector>

#include "yoke/core/batch.h"
#include "yoke/data/batch_maker.h"
#include "yoke/data/device_copy.h"
#include "yoke/data/ordered_queue.h"
#include "yoke/data/resident_images.h"

namespace yoke {

/// How much work goes into making batches ahead.
struct LoaderOptions {
  int threads = 1;            ///< Each makes whole batches; at least 1.
  std::int64_t prefetch = 4;  ///< Most batches that are made or being made ahead; at least 1.
  torch::Device device = torch::kCPU;  ///< Where batches are delivered, see DeviceCopy.
  bool pinned = false;  ///< Makes batches in page-locked memory, for copies to GPUs that overlap.
  /// The data set's images on that device, where batches are made of them; else null.
  std::shared_ptr<ResidentImages> resident{};
};

/// This rank's batches in order. What they hold depends on the arguments alone, not on threads, on
/// timing or on where the run was resumed; an image's random numbers not even on the ranks.
class Loader {
 public:
  /// Batches of steps [first_step, last_step), counted over the whole run: which batch of
  /// which epoch each is, the sampler's epochs() say. `seed` is that of all that is drawn.
  /// @throws UsageError when `options` are out of range; Error when the arguments do not fit
  /// together.
  Loader(std::shared_ptr<const Dataset> dataset, Sampler sampler, Transform transform,
         std::uint64_t seed, std::int64_t first_step, std::int64_t last_step,
         LoaderOptions options = {}, const Mixing& mixing = {});

  /// Stops the workers after the image each is at, and waits for that.
  ~Loader();
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  /// The batch of the next step; input [N, C, H, W] and target [N] belong to the caller. N is 0
  /// where this rank has no share in a small last batch. Not thread safe. @throws Error past the
  /// end; what a worker threw, then and at every later call.
  Batch next();

  /// How long next() has waited for a batch in all.
  double wait_seconds() const { return queue_.waited().count(); }

 private:
  using Result = std::variant<Batch, std::exception_ptr>;

  Batch make(std::int64_t step, const DeviceCopy& device, BatchMaker::Scratch& scratch,
             const std::stop_token& stop) const;
  void work(const std::stop_token& stop);

  const BatchMaker maker_;
  std::int64_t next_step_;
  const std::int64_t last_step_;
  const LoaderOptions options_;
  std::exception_ptr failure_;
  OrderedQueue<Result> queue_;
  std::vector<std::jthread> workers_;  // last, so that they end before what they use goes
};

}  // namespace yoke
