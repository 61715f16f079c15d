// yoke/core/epochs.h: where the epochs of a run begin, counted in steps.
#pragma once
#include <cstdint>

#include "yoke/core/sizes_by_epoch.h"

namespace yoke {

/// Steps and the epochs that they belong to, both from 0. Epochs have as many steps each, or as
/// many as batches of a changing size make of the images.
class Epochs {
 public:
  /// Of `steps` each, by epoch. @throws Error where an epoch would have none.
  explicit Epochs(SizesByEpoch steps);

  /// Those in which batches of `batch_sizes` hold each of `images` once; the last batch of an epoch
  /// may be smaller than the others.
  static Epochs of(std::int64_t images, const SizesByEpoch& batch_sizes);

  /// Steps of an epoch.
  std::int64_t steps(std::int64_t epoch) const { return steps_.at(epoch); }
  /// Of an epoch; the largest number where there is none so large.
  std::int64_t first_step(std::int64_t epoch) const;
  /// The epoch that `step` belongs to.
  std::int64_t at(std::int64_t step) const;
  /// The place of `step` in its epoch.
  std::int64_t place(std::int64_t step) const { return step - first_step(at(step)); }
  /// Whether `step` is the first of an epoch; that is, whether one ends with `step` steps taken.
  bool starts(std::int64_t step) const { return place(step) == 0; }

  /// Epochs passed with `steps` steps taken, with fraction.
  double passed(std::int64_t steps) const;
  /// Steps taken where `epochs` have passed, to the nearest.
  std::int64_t steps_until(double epochs) const;

  /// Those after `steps` steps, of which the first begins there; an epoch that has begun counts as
  /// one passed.
  Epochs after(std::int64_t steps) const;

 private:
  SizesByEpoch steps_;
};

}  // namespace yoke
