// yoke/data/transforms/augmentation.h: what is done to training images at random.
#pragma once
#include <cstdint>

namespace yoke {

/// Ways to change training images by operations drawn from a list.
enum class AutoAugmentPolicy { kNone, kTrivialAugmentWide, kRandAugment };

/// How many magnitudes an operation has, from the least to the greatest.
inline constexpr int kMagnitudeBins = 31;

/// Random changes to training images, in their order; options of every data set.
struct Augmentation {
  std::int64_t crop = 0;  ///< Random crop after padding each side by so many zero pixels.
  bool flip = false;      ///< Left-right flip of every other image, at random.
  AutoAugmentPolicy auto_augment = AutoAugmentPolicy::kNone;
  int magnitude = 9;        ///< Of RandAugment's operations, a bin in [0, kMagnitudeBins).
  int num_ops = 2;          ///< How many operations RandAugment draws, at least 1.
  double random_erase = 0;  ///< Probability that a rectangle is set to the mean; in [0, 1].
};

}  // namespace yoke
