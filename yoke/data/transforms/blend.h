// yoke/data/transforms/blend.h: the mean of two images with weights.
#pragma once
#include <cstdint>
#include <span>

namespace yoke {

/// Writes ratio * image + (1 - ratio) * other, cut to [0, 255], for uint8 spans of one size; with a
/// ratio above 1 the images move apart. In fp32 and rounded toward 0, as torchvision's `_blend`.
/// `output` may be `image` or `other`.
void blend(std::span<const std::uint8_t> image, std::span<const std::uint8_t> other, double ratio,
           std::span<std::uint8_t> output);

/// The same with an image of which each pixel is `other`.
void blend(std::span<const std::uint8_t> image, float other, double ratio,
           std::span<std::uint8_t> output);

}  // namespace yoke
