// apps/yoke/image_flag.h: the shape of images on the command line.
#pragma once
#include <string>

#include "yoke/core/image_shape.h"

namespace yoke {

/// `3x32x32`; where `text` is empty, what `model` (`name:key=value,...`) is usually given.
/// @throws UsageError
ImageShape parse_image(const std::string& text, const std::string& model);

}  // namespace yoke
