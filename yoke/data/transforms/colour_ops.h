// yoke/data/transforms/colour_ops.h: changes of an image's colours, pixel by pixel.
//
// As torchvision's functions of the same names on uint8 tensors, bit for bit: what is not integer
// is computed in fp32, in their order, and rounded toward 0. All take uint8 [C, H, W] of one or
// three channels; no result depends on the processor. `output` has the size of `input` and is not
// it.
#pragma once
#include <cstdint>
#include <span>

#include "yoke/core/image_shape.h"

namespace yoke {

/// Multiplies pixels by `factor`, at least 0.
void adjust_brightness(const ImageShape& shape, double factor, std::span<const std::uint8_t> input,
                       std::span<std::uint8_t> output);

/// Multiplies the distance of each pixel to its grey by `factor`, at least 0; grey images stay.
void adjust_saturation(const ImageShape& shape, double factor, std::span<const std::uint8_t> input,
                       std::span<std::uint8_t> output);

/// Multiplies the distance of each pixel to the mean grey of the image by `factor`, at least 0. The
/// sum of greys is exact; torchvision's, in fp32, is so below 2^24, to which 256x256 pixels come.
void adjust_contrast(const ImageShape& shape, double factor, std::span<const std::uint8_t> input,
                     std::span<std::uint8_t> output);

/// Keeps the `bits`, in [1, 8], highest bits of each value.
void posterize(int bits, std::span<const std::uint8_t> input, std::span<std::uint8_t> output);

/// Inverts all values of at least `threshold`, in [0, 255].
void solarize(double threshold, std::span<const std::uint8_t> input,
              std::span<std::uint8_t> output);

/// Stretches each channel so that its values reach from 0 to 255; one of a single value stays.
void autocontrast(const ImageShape& shape, std::span<const std::uint8_t> input,
                  std::span<std::uint8_t> output);

}  // namespace yoke
