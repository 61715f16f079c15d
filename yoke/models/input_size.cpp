#include "yoke/models/input_size.h"

#include <algorithm>

#include "yoke/core/error.h"

namespace yoke {

void require_size(std::string_view model, const ImageShape& image, std::int64_t least) {
  if (image.height >= least && image.width >= least) return;
  throw UsageError(fmt::format(
      "images of {} (channels x height x width) given to model '{}', which needs at least {}x{} "
      "pixels; take a data set with larger images, or another model",
      image.str(), model, least, least));
}

ImageShape at_least(const ImageShape& image, std::int64_t side) {
  const std::int64_t smaller = std::min(image.height, image.width);
  if (smaller >= side) return image;
  const auto scaled = [&](std::int64_t pixels) { return (pixels * side + smaller - 1) / smaller; };
  return {image.channels, scaled(image.height), scaled(image.width)};
}

}  // namespace yoke
