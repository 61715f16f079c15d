// yoke/data/formats/jpeg_write.h: small JPEG images to look at.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "yoke/core/image_shape.h"

namespace yoke {

/// A JPEG file of `pixels`, uint8 [C, H, W] with 1 (grey) or 3 (RGB) channels, as data sets have
/// them. `quality` is libjpeg's, from 1 to 100. @throws Error where that fails.
std::vector<std::uint8_t> write_jpeg(std::span<const std::uint8_t> pixels, const ImageShape& shape,
                                     int quality = 85);

}  // namespace yoke
