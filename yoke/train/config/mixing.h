// yoke/train/config/mixing.h: how a run mixes its images.
#pragma once
#include "yoke/data/transforms/mix.h"
#include "yoke/train/config/config.h"

namespace yoke {

/// What `--mixup` and `--cutmix` say; neither where they are not given.
inline Mixing mixing_of(const TrainConfig& config) {
  return {.mixup = config.mixup.value_or(0), .cutmix = config.cutmix.value_or(0)};
}

}  // namespace yoke
