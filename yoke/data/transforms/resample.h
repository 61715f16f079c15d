// yoke/data/transforms/resample.h: a rectangle of a decoded image at another size.
#pragma once
#include <cstdint>

#include "yoke/data/formats/raster.h"

namespace yoke {

/// Scales `crop`, in pixels of the image that `raster` is of, to planes uint8 [3, height, width].
///
/// Bilinear with a triangle that widens with the reduction, so that no stored pixel is passed over:
/// as Pillow's and torchvision's antialiased bilinear resize. Pixels around the crop take part
/// where `raster` has them. Rounded to the nearest grey level.
void resample(const Raster& raster, const Crop& crop, std::int64_t height, std::int64_t width,
              std::uint8_t* output);

}  // namespace yoke
