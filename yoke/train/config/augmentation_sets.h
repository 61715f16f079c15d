// yoke/train/config/augmentation_sets.h: what `--augment` stands for.
#pragma once
#include <string_view>

#include "yoke/core/enum_words.h"

namespace yoke {

struct TrainConfig;

/// Sets of changes to training images, each with what the one before it has.
enum class AugmentationSet {
  kNone,
  kLight,     ///< Other parts of the image and, where it shows the same class, its mirror image.
  kStandard,  ///< TrivialAugmentWide and random erasing: torchvision's newer recipe, unmixed.
  kStrong     ///< Mixup and CutMix.
};

template <>
struct EnumWords<AugmentationSet> {
  static constexpr std::string_view kWords[] = {"none", "light", "standard", "strong"};
};

/// Writes what `config.augment` stands for with `config.data` into the options of the latter,
/// `config.mixup` and `config.cutmix`, where they do not say it themselves; nothing where there is
/// no set. Twice is the same as once. @throws UsageError on an unknown data set or option.
void apply_augmentation_set(TrainConfig& config);

}  // namespace yoke
