// Photos, and what cameras say of them.
#include <algorithm>

#include "tests/data/image_files.h"
#include "tests/fuzz/target.h"
#include "yoke/data/formats/encoded_image.h"
#include "yoke/data/formats/orientation.h"

namespace yoke::test {
namespace {

/// Decodes all of an image, unless it says to be larger than takes a moment.
void decode(const std::string& bytes) {
  constexpr std::int64_t kMost = 1 << 18, kSide = 16;
  const auto image = open_image(bytes_of(bytes));
  const auto height = image->height(), width = image->width();
  if (height * width > kMost) return;
  const Crop whole{.width = static_cast<double>(width), .height = static_cast<double>(height)};
  image->decode(whole, std::min(height, kSide), std::min(width, kSide));
}

}  // namespace

std::vector<FuzzTarget> image_targets() {
  const Picture colours = picture(17, 13), grey = picture(9, 8, 1);
  return {{"jpeg",
           {jpeg_file(colours, {.orientation = 6}), jpeg_file(colours, {.progressive = true}),
            jpeg_file(grey)},
           decode},
          {"png",
           {png_file(colours), png_file(colours, PNG_COLOR_TYPE_RGB, 8, true),
            png_file(grey, PNG_COLOR_TYPE_GRAY)},
           decode},
          {"exif", {exif(6)}, [](const std::string& bytes) { exif_orientation(bytes_of(bytes)); }}};
}

}  // namespace yoke::test
