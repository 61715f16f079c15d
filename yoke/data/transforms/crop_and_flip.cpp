#include "yoke/data/transforms/crop_and_flip.h"

namespace yoke {

CropAndFlip draw_crop_and_flip(const Augmentation& augmentation, RandomStream& random) {
  CropAndFlip placement;
  if (augmentation.crop > 0) {
    const auto places = static_cast<std::uint64_t>(2 * augmentation.crop + 1);
    placement.down = static_cast<std::int64_t>(random.below(places)) - augmentation.crop;
    placement.right = static_cast<std::int64_t>(random.below(places)) - augmentation.crop;
  }
  if (augmentation.flip) placement.flip = random.below(2) == 1;
  return placement;
}

}  // namespace yoke
