// yoke/engine/compiled/layers/sum_over_images.h: the gradient of what is the same for each image.
#pragma once
#include <string>

#include "yoke/engine/compiled/builder.h"

namespace yoke::compiled {

/// Adds a step that gives `parameter` the sum over images of the first `elements` of each in
/// `gradient`, fp32 in channels last.
void sum_over_images(Builder& builder, const std::string& operation, const Tensor& gradient,
                     std::int64_t elements, ParameterId parameter);

}  // namespace yoke::compiled
