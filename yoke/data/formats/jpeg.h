// yoke/data/formats/jpeg.h: JPEG images (ITU-T T.81), by libjpeg-turbo.
#pragma once
#include <cstdint>
#include <memory>
#include <span>

#include "yoke/data/formats/encoded_image.h"

namespace yoke {

/// Baseline and progressive, grey, YCbCr, RGB, CMYK and YCCK, of 8 bits. Decoding scales by 1/2,
/// 1/4 or 1/8 in the transform where the result is still large enough, and leaves out rows and
/// blocks that are not asked for. `bytes` must outlive it.
/// @throws DamagedImage, also at decoding: when bytes are missing or not a code.
std::unique_ptr<EncodedImage> open_jpeg(std::span<const std::uint8_t> bytes);

}  // namespace yoke
