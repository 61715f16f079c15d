// yoke/data/transforms/crop_image.h: a part of an encoded image, upright and at the size of a
// model's input.
#pragma once
#include <cstdint>
#include <functional>
#include <span>

#include "yoke/core/image_shape.h"
#include "yoke/data/formats/raster.h"

namespace yoke {

/// Chooses a part of an upright image.
using ChooseCrop = std::function<Crop(std::int64_t height, std::int64_t width)>;

/// Decodes the part of the JPEG or PNG image `file` that `choose` wants, turns it upright and
/// scales it to `pixels`, uint8 [3, H, W] of `shape`. @throws DamagedImage.
void crop_image(std::span<const std::uint8_t> file, const ChooseCrop& choose,
                const ImageShape& shape, std::span<std::uint8_t> pixels);

}  // namespace yoke
