// yoke/data/transforms/augment_operations.h: the operations that automatic augmentation draws from.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "yoke/core/image_shape.h"
#include "yoke/data/transforms/augmentation.h"

namespace yoke {

/// An operation and its magnitudes, by the name and with the meaning of torchvision's `_apply_op`.
struct AugmentOperation {
  /// Writes the changed `input`, uint8 [C, H, W] of one or three channels, to `output`, of the same
  /// size and elsewhere.
  using Apply = void(const ImageShape& shape, double magnitude, std::span<const std::uint8_t> input,
                     std::span<std::uint8_t> output);

  const char* name;
  Apply* apply;
  bool is_signed;  ///< Whether the magnitude's negative is as likely.
  bool is_whole;   ///< Whether magnitudes are whole numbers.
  double first, last;

  bool has_magnitude() const { return first != last; }

  /// That of `bin`, in [0, kMagnitudeBins): evenly spaced from `first` to `last`.
  double magnitude(int bin) const;
};

/// The fourteen operations of TrivialAugmentWide or RandAugment for images of `shape`, in the order
/// and with the magnitudes of torchvision's classes; none of `kNone`.
std::vector<AugmentOperation> augment_operations(AutoAugmentPolicy policy, const ImageShape& shape);

}  // namespace yoke
