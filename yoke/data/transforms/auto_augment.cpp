#include "yoke/data/transforms/auto_augment.h"

#include <fmt/format.h>

#include <utility>

#include "yoke/core/error.h"

namespace yoke {
namespace {

int checked_count(const Augmentation& augmentation, const ImageShape& shape) {
  if (augmentation.auto_augment == AutoAugmentPolicy::kNone) return 0;
  if (shape.channels != 1 && shape.channels != 3) {
    throw UsageError(
        fmt::format("auto_augment changes images of 1 channel (grey) or 3 (red, green, blue), not "
                    "of {}; choose auto_augment=none for these",
                    shape.channels));
  }
  if (augmentation.auto_augment == AutoAugmentPolicy::kTrivialAugmentWide) return 1;
  if (augmentation.magnitude < 0 || augmentation.magnitude >= kMagnitudeBins) {
    throw UsageError(fmt::format("magnitude={} is out of range; choose from 0 to {}",
                                 augmentation.magnitude, kMagnitudeBins - 1));
  }
  if (augmentation.num_ops < 1) {
    throw UsageError(
        fmt::format("num_ops={} is out of range; choose 1 or more", augmentation.num_ops));
  }
  return augmentation.num_ops;
}

}  // namespace

AutoAugment::AutoAugment(const Augmentation& augmentation, const ImageShape& shape)
    : augmentation_(augmentation),
      count_(checked_count(augmentation, shape)),
      shape_(shape),
      operations_(augment_operations(augmentation.auto_augment, shape)) {}

AutoAugment::Drawn AutoAugment::draw(RandomStream& random) const {
  const std::size_t index = random.below(operations_.size());
  const AugmentOperation& operation = operations_[index];
  if (!operation.has_magnitude()) return {.operation = index, .magnitude = 0};
  const int bin = augmentation_.auto_augment == AutoAugmentPolicy::kTrivialAugmentWide
                      ? static_cast<int>(random.below(kMagnitudeBins))
                      : augmentation_.magnitude;
  const double magnitude = operation.magnitude(bin);
  const bool negative = operation.is_signed && random.below(2) == 1;
  return {.operation = index, .magnitude = negative ? -magnitude : magnitude};
}

std::span<const std::uint8_t> AutoAugment::apply(RandomStream& random,
                                                 std::span<std::uint8_t> image,
                                                 std::span<std::uint8_t> spare) const {
  for (int i = 0; i < count_; ++i) {
    const auto [operation, magnitude] = draw(random);
    operations_[operation].apply(shape_, magnitude, image, spare);
    std::swap(image, spare);
  }
  return image;
}

}  // namespace yoke
