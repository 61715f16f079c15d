// yoke/data/transforms/crop.h: which part of a photo becomes the input of a model.
#pragma once
#include <cstdint>

#include "yoke/core/random.h"
#include "yoke/data/formats/raster.h"

namespace yoke {

/// The part in the middle of an image of `height` x `width` that has the form `aspect` (width by
/// height) and takes `fraction`, in (0, 1], of the largest such part's sides: with 0.875 and a
/// square, torchvision's `Resize(256)` and `CenterCrop(224)`.
Crop center_crop(std::int64_t height, std::int64_t width, double aspect, double fraction);

/// A part whose area is between `least_area`, in (0, 1], and all of the image, and whose form is
/// between 3/4 and 4/3 of `aspect`, anywhere in it: the crop of Szegedy et al., "Going deeper with
/// convolutions" (CVPR 2015), as torchvision's RandomResizedCrop draws it, in whole pixels.
Crop random_resized_crop(std::int64_t height, std::int64_t width, double aspect, double least_area,
                         RandomStream& random);

}  // namespace yoke
