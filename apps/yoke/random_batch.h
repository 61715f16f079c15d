// apps/yoke/random_batch.h: images to measure steps on.
#pragma once
#include <cstdint>

#include "yoke/core/batch.h"
#include "yoke/core/image_shape.h"

namespace yoke {

/// Normal numbers as `images` images of `shape`, with classes in [0, `classes`); always the same.
Batch random_batch(std::int64_t images, const ImageShape& shape, std::int64_t classes);

}  // namespace yoke
