// yoke/data/transforms/equalize.h: equally frequent grey levels.
#pragma once
#include <cstdint>
#include <span>

#include "yoke/core/image_shape.h"

namespace yoke {

/// Maps the values of each channel of `input`, uint8 [C, H, W], so that all grey levels become
/// about equally frequent; a channel where too few pixels have less than the greatest value stays.
/// As torchvision's equalize, bit for bit. `output` has the size of `input`.
void equalize(const ImageShape& shape, std::span<const std::uint8_t> input,
              std::span<std::uint8_t> output);

}  // namespace yoke
