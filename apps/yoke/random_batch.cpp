#include "apps/yoke/random_batch.h"

#include <torch/utils.h>

namespace yoke {

Batch random_batch(std::int64_t images, const ImageShape& shape, std::int64_t classes) {
  torch::manual_seed(1);
  return {.input = torch::randn({images, shape.channels, shape.height, shape.width}),
          .target = torch::randint(classes, {images})};
}

}  // namespace yoke
