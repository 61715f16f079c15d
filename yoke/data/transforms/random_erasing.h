// yoke/data/transforms/random_erasing.h: rectangles that are hidden from training.
#pragma once
#include <span>

#include "yoke/core/image_shape.h"
#include "yoke/core/random.h"

namespace yoke {

/// With `probability`, in [0, 1], sets a rectangle of `image`, normalised fp32 [C, H, W], to 0, its
/// mean: Zhong et al., "Random erasing data augmentation" (AAAI 2020), as torchvision's
/// RandomErasing. The rectangle has 0.02 to 0.33 of the image's area, and a height of 0.3 to 3.3
/// times its width, even in the logarithm; after ten that do not fit none is erased.
///
/// `random` is drawn from in this order: whether to erase, then area and form of each attempt, then
/// top and left.
void random_erase(double probability, const ImageShape& shape, RandomStream& random,
                  std::span<float> image);

}  // namespace yoke
