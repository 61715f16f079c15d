// yoke/data/datasets/pickled_batch.h: images and labels as CIFAR and the down-sampled ImageNet
// pickle them.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "yoke/core/image_shape.h"

namespace yoke {

/// Some of the images of a split.
struct ImageBatch {
  std::vector<std::uint8_t> pixels;  ///< [N, C, H, W].
  std::vector<std::int64_t> labels;  ///< [N], in [0, classes).
};

/// The labels of such a file.
struct PickledLabels {
  std::string key = "labels";  ///< Of the dict.
  std::int64_t first = 0;      ///< What the first class is numbered.
};

/// Appends the images of the file `path` to `batch`: a dict with `data`, uint8 [N, C * H * W], and
/// `labels`, whole numbers.
/// @throws Error when the file is damaged or holds other images or labels than these.
void append_pickled_batch(const std::filesystem::path& path, const ImageShape& shape,
                          std::int64_t classes, const PickledLabels& labels, ImageBatch& batch);

}  // namespace yoke
