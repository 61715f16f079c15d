// yoke/data/transforms/sharpness.h: sharper and softer images.
#pragma once
#include <cstdint>
#include <span>

#include "yoke/core/image_shape.h"

namespace yoke {

/// Multiplies the distance of each pixel of `input`, uint8 [C, H, W], to the mean over 3x3 pixels,
/// its own weighted by 5, by `factor`, at least 0; pixels at the border are their own mean. Images
/// of less than 3 rows or columns stay. As torchvision's adjust_sharpness, bit for bit: no sum of
/// integers divided by 13 comes near enough to a half that its rounding in fp32 would matter.
void adjust_sharpness(const ImageShape& shape, double factor, std::span<const std::uint8_t> input,
                      std::span<std::uint8_t> output);

}  // namespace yoke
