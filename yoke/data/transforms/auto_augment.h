// yoke/data/transforms/auto_augment.h: operations that are drawn and applied to training images.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "yoke/core/image_shape.h"
#include "yoke/core/random.h"
#include "yoke/data/transforms/augment_operations.h"

namespace yoke {

/// TrivialAugmentWide of Müller and Hutter, "TrivialAugment: tuning-free yet state-of-the-art data
/// augmentation" (ICCV 2021): one operation with one magnitude, all equally likely; or RandAugment
/// of Cubuk et al., "RandAugment: practical automated data augmentation with a reduced search
/// space" (NeurIPS 2020): several operations, all with the same magnitude.
///
/// As torchvision's classes of these names. Safe to use from several threads.
class AutoAugment {
 public:
  /// For images of `shape`. @throws UsageError when `augmentation` asks for it and they have
  /// neither one channel nor three, or a number is out of range.
  AutoAugment(const Augmentation& augmentation, const ImageShape& shape);

  bool none() const { return count_ == 0; }  ///< Whether it changes nothing.

  /// An operation of operations() and its magnitude.
  struct Drawn {
    std::size_t operation;
    double magnitude;
  };

  const std::vector<AugmentOperation>& operations() const { return operations_; }

  /// Draws an operation, its bin where the policy leaves that open, and its sign where it has one.
  Drawn draw(RandomStream& random) const;

  /// Draws each operation and applies it to `image`, uint8 [C, H, W]; `spare` has the same size.
  /// Returns the one of the two that holds the result.
  std::span<const std::uint8_t> apply(RandomStream& random, std::span<std::uint8_t> image,
                                      std::span<std::uint8_t> spare) const;

 private:
  Augmentation augmentation_;
  int count_;  // of operations for an image
  ImageShape shape_;
  std::vector<AugmentOperation> operations_;
};

}  // namespace yoke
