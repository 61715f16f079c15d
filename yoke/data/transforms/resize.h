// yoke/data/transforms/resize.h: a data set at another height and width.
#pragma once
#include <cstdint>
#include <memory>

#include "yoke/data/dataset.h"

namespace yoke {

/// `dataset` with its images scaled to `height` x `width` once, in memory, on LibTorch's threads;
/// `dataset` itself where they have that size, or what it decodes to that size. Bilinear as
/// `torch::upsample_bilinear2d` without `align_corners`, rounded to the nearest grey level.
/// @throws UsageError when the height or width is below 1.
std::shared_ptr<const Dataset> resized(std::shared_ptr<const Dataset> dataset, std::int64_t height,
                                       std::int64_t width);

}  // namespace yoke
