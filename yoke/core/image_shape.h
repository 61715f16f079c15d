// yoke/core/image_shape.h: the shape of one image, [C, H, W].
#pragma once
#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace yoke {

/// Channels, height and width of an image in pixels.
struct ImageShape {
  std::int64_t channels = 0;
  std::int64_t height = 0;
  std::int64_t width = 0;

  std::int64_t elements() const { return channels * height * width; }
  std::string str() const { return fmt::format("{}x{}x{}", channels, height, width); }
  bool operator==(const ImageShape&) const = default;
};

}  // namespace yoke
