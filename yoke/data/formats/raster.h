// yoke/data/formats/raster.h: a rectangle of an image, and the decoded pixels around it.
#pragma once
#include <cstdint>
#include <memory>

namespace yoke {

/// A rectangle in pixels from an image's upper left corner; it may begin and end within a pixel.
struct Crop {
  double left = 0;
  double top = 0;
  double width = 0;
  double height = 0;
};

/// Decoded pixels of a part of an image, perhaps of the image scaled down.
struct Raster {
  std::unique_ptr<std::uint8_t[]> memory{};  ///< Of `pixels`; null where they are another's.
  const std::uint8_t* pixels = nullptr;      ///< RGB, uint8 [height, width, 3].
  std::int64_t height = 0;
  std::int64_t width = 0;
  double scale = 1;       ///< Pixels of this for each of the image.
  std::int64_t left = 0;  ///< Of this in the scaled image.
  std::int64_t top = 0;   ///< Likewise.
};

}  // namespace yoke
