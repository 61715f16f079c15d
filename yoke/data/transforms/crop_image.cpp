#include "yoke/data/transforms/crop_image.h"

#include <utility>
#include <vector>

#include "yoke/data/formats/encoded_image.h"
#include "yoke/data/transforms/resample.h"

namespace yoke {

void crop_image(std::span<const std::uint8_t> file, const ChooseCrop& choose,
                const ImageShape& shape, std::span<std::uint8_t> pixels) {
  const auto image = open_image(file);
  const Orientation orientation = image->orientation();
  std::int64_t height = image->height(), width = image->width();
  std::int64_t rows = shape.height, columns = shape.width;
  if (orientation.transposed) {
    std::swap(height, width);
    std::swap(rows, columns);
  }
  const Crop crop =
      stored_crop(choose(height, width), orientation, image->height(), image->width());
  const Raster raster = image->decode(crop, rows, columns);
  if (orientation.upright()) {
    resample(raster, crop, rows, columns, pixels.data());
    return;
  }
  std::vector<std::uint8_t> stored(pixels.size());
  resample(raster, crop, rows, columns, stored.data());
  turn_upright(stored.data(), shape.channels, rows, columns, orientation, pixels.data());
}

}  // namespace yoke
