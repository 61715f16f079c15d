#include "yoke/models/input_size.h"

#include "yoke/core/error.h"

namespace yoke {

void require_size(std::string_view model, const ImageShape& image, std::int64_t least) {
  if (image.height >= least && image.width >= least) return;
  throw UsageError(fmt::format(
      "images of {} (channels x height x width) given to model '{}', which needs at least {}x{} "
      "pixels; take a data set with larger images, or another model",
      image.str(), model, least, least));
}

}  // namespace yoke
