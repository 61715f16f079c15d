// yoke/models/input_size.h: the images a model can take.
#pragma once
#include <cstdint>
#include <string_view>

#include "yoke/core/image_shape.h"

namespace yoke {

/// Checks that `image` is at least `least` pixels high and wide.
/// @throws UsageError that names `model`, the given and the needed size.
void require_size(std::string_view model, const ImageShape& image, std::int64_t least);

/// `image`, or where its smaller side is under `side` pixels, height and width scaled by the same
/// factor, rounded up, so that it is `side`.
ImageShape at_least(const ImageShape& image, std::int64_t side);

}  // namespace yoke
