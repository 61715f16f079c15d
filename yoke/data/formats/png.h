// yoke/data/formats/png.h: PNG images (ISO/IEC 15948), by libpng.
#pragma once
#include <cstdint>
#include <memory>
#include <span>

#include "yoke/data/formats/encoded_image.h"

namespace yoke {

/// Of any colour type and depth; transparency is left out. Decoding gives the whole image.
/// `bytes` must outlive it. @throws DamagedImage, also at decoding.
std::unique_ptr<EncodedImage> open_png(std::span<const std::uint8_t> bytes);

}  // namespace yoke
