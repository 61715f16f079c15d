// yoke/classify/middle.h: the part of a photo that a model sees, as it saw it in validation.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "yoke/data/dataset.h"
#include "yoke/data/formats/raster.h"

namespace yoke {

/// The middle part of the JPEG or PNG image `file`, upright, uint8 [C, H, W] of `data.image`; grey,
/// where that has one channel, by the luma of ITU-R BT.601. @throws DamagedImage.
void decode_middle(std::span<const std::uint8_t> file, const DatasetInfo& data,
                   std::vector<std::uint8_t>& pixels);

/// The same of a whole upright image that is decoded already.
void take_middle(const Raster& image, const DatasetInfo& data, std::vector<std::uint8_t>& pixels);

}  // namespace yoke
