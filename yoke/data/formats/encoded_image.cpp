#include "yoke/data/formats/encoded_image.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "yoke/data/formats/jpeg.h"
#include "yoke/data/formats/png.h"

namespace yoke {
namespace {

constexpr std::array<std::uint8_t, 2> kJpeg = {0xff, 0xd8};
constexpr std::array<std::uint8_t, 4> kPng = {0x89, 'P', 'N', 'G'};

bool begins_with(std::span<const std::uint8_t> bytes, std::span<const std::uint8_t> magic) {
  return bytes.size() >= magic.size() && std::equal(magic.begin(), magic.end(), bytes.begin());
}

void check_size(const EncodedImage& image) {
  const std::int64_t height = image.height(), width = image.width();
  if (height >= 1 && width >= 1 && height <= kMostPixels / width) return;
  throw DamagedImage(fmt::format("its header declares {}x{} pixels; allowed are 1 to {} in all",
                                 height, width, kMostPixels));
}

}  // namespace

std::unique_ptr<EncodedImage> open_image(std::span<const std::uint8_t> bytes) {
  std::unique_ptr<EncodedImage> image;
  if (begins_with(bytes, kJpeg)) {
    image = open_jpeg(bytes);
  } else if (begins_with(bytes, kPng)) {
    image = open_png(bytes);
  } else {
    throw DamagedImage("its bytes begin neither as a JPEG nor as a PNG");
  }
  check_size(*image);
  return image;
}

}  // namespace yoke
