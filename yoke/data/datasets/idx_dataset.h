// yoke/data/datasets/idx_dataset.h: data sets that come as the four idx files of MNIST.
#pragma once
#include <filesystem>

#include "yoke/data/dataset.h"

namespace yoke {

/// Reads the grey images and labels of both splits, found by locate() under `data_dir`; `folder` is
/// torchvision's, `info.image` is taken from the files.
/// @throws UsageError when there are none; Error when one is missing or damaged.
DatasetSplits load_idx_dataset(DatasetInfo info, const std::filesystem::path& folder,
                               const std::filesystem::path& data_dir);

}  // namespace yoke
