#include "yoke/train/config/augmentation_sets.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "yoke/core/plugins/options.h"
#include "yoke/data/dataset.h"
#include "yoke/train/config/config.h"

namespace yoke {
namespace {

/// An option of a data set by all its names, the newest first, and what a set makes of it.
struct SetOption {
  std::vector<std::string> names;
  std::string value;
};

/// The least part of a photo's area that training sees.
double least_area(AugmentationSet set) {
  switch (set) {
    case AugmentationSet::kNone:
      return 1;
    case AugmentationSet::kLight:
      return 0.35;
    case AugmentationSet::kStandard:
      return 0.25;
    case AugmentationSet::kStrong:
      return 0.08;
  }
  return 1;
}

std::vector<SetOption> options_of(AugmentationSet set, const DatasetTraits& data) {
  const bool none = set == AugmentationSet::kNone;
  std::vector<SetOption> options;
  if (data.photos) {
    options.push_back({{kPhotoScale, kOlderPhotoScale}, fmt::format("{}", least_area(set))});
  } else {
    options.push_back({{kCrop}, fmt::format("{}", none ? 0 : data.usual_crop)});
  }
  options.push_back({{kFlip}, fmt::format("{}", !none && data.mirrors)});
  const bool more = set >= AugmentationSet::kStandard;
  options.push_back({{kAutoAugment}, more ? kTrivialAugmentWide : kNoAutoAugment});
  options.push_back({{kRandomErase}, more ? "0.1" : "0"});
  return options;
}

}  // namespace

void apply_augmentation_set(TrainConfig& config) {
  if (!config.augment) return;
  const DatasetTraits traits = datasets().choose(config.data).traits;
  Options given = Choice::parse(config.data, datasets().kind()).options;
  for (const SetOption& option : options_of(*config.augment, traits)) {
    if (given.take(option.names)) continue;
    const bool first = config.data.find(':') == std::string::npos;
    config.data += fmt::format("{}{}={}", first ? ':' : ',', option.names.front(), option.value);
  }
  const bool strong = *config.augment == AugmentationSet::kStrong;
  if (!config.mixup) config.mixup = strong ? 0.2 : 0;
  if (!config.cutmix) config.cutmix = strong ? 1 : 0;
}

}  // namespace yoke
