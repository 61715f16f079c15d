// yoke/data/transforms/affine_sample.h: the pixels of an image in other places.
#pragma once
#include <cstdint>
#include <span>

#include "yoke/core/image_shape.h"
#include "yoke/data/transforms/affine_matrix.h"

namespace yoke {

/// Fills each pixel of `output` with the pixel of `input`, both uint8 [C, H, W], that is nearest to
/// where `matrix` says it comes from, and with 0 where that is outside.
///
/// Coordinates are rounded to fp32 where torchvision's `affine` rounds them on processors that fuse
/// multiplication and addition: those of its grid, from -1 to 1, and of `grid_sample` with
/// align_corners=False. Halves go to even places. So pixels equal torchvision's but where a place
/// lies between two pixels to the last bits of fp32, and another processor or BLAS adds otherwise.
void affine_sample(const ImageShape& shape, const AffineMatrix& matrix,
                   std::span<const std::uint8_t> input, std::span<std::uint8_t> output);

}  // namespace yoke
