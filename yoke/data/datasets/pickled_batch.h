// yoke/data/datasets/pickled_batch.h: images and labels as CIFAR-10 and the down-sampled ImageNet
// pickle them.
#pragma once
#include <cstdint>
#include <filesystem>
#include <vector>

#include "yoke/core/image_shape.h"

namespace yoke {

/// Some of the images of a split.
struct ImageBatch {
  std::vector<std::uint8_t> pixels;  ///< [N, C, H, W].
  std::vector<std::int64_t> labels;  ///< [N], in [0, classes).
};

/// Appends the images of the file `path` to `batch`: a dict with `data`, uint8 [N, C * H * W], and
/// `labels`, whole numbers from `first_label` on.
/// @throws Error when the file is damaged or holds other images or labels than these.
void append_pickled_batch(const std::filesystem::path& path, const ImageShape& shape,
                          std::int64_t classes, std::int64_t first_label, ImageBatch& batch);

}  // namespace yoke
