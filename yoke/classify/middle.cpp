#include "yoke/classify/middle.h"

#include <cstddef>

#include "yoke/data/transforms/crop.h"
#include "yoke/data/transforms/crop_image.h"
#include "yoke/data/transforms/resample.h"

namespace yoke {
namespace {

ChooseCrop middle_of(const DatasetInfo& data) {
  const double aspect =
      static_cast<double>(data.image.width) / static_cast<double>(data.image.height);
  return [aspect, centre = data.centre](std::int64_t height, std::int64_t width) {
    return center_crop(height, width, aspect, centre);
  };
}

ImageShape in_colour(ImageShape shape) {
  shape.channels = 3;
  return shape;
}

/// Of planes of red, green and blue, the first becomes the luma and the others go.
void to_grey(std::vector<std::uint8_t>& pixels) {
  const std::size_t plane = pixels.size() / 3;
  for (std::size_t i = 0; i < plane; ++i) {
    const std::uint32_t luma =
        19595U * pixels[i] + 38470U * pixels[plane + i] + 7471U * pixels[2 * plane + i];
    pixels[i] = static_cast<std::uint8_t>((luma + 32768U) >> 16U);
  }
  pixels.resize(plane);
}

}  // namespace

void decode_middle(std::span<const std::uint8_t> file, const DatasetInfo& data,
                   std::vector<std::uint8_t>& pixels) {
  const ImageShape shape = in_colour(data.image);
  pixels.resize(static_cast<std::size_t>(shape.elements()));
  crop_image(file, middle_of(data), shape, pixels);
  if (data.image.channels == 1) to_grey(pixels);
}

void take_middle(const Raster& image, const DatasetInfo& data, std::vector<std::uint8_t>& pixels) {
  const ImageShape shape = in_colour(data.image);
  pixels.resize(static_cast<std::size_t>(shape.elements()));
  resample(image, middle_of(data)(image.height, image.width), shape.height, shape.width,
           pixels.data());
  if (data.image.channels == 1) to_grey(pixels);
}

}  // namespace yoke
