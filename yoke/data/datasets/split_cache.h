// yoke/data/datasets/split_cache.h: a split that was read once, in a file that the processes of a
// host map to memory.
#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <span>

#include "yoke/data/dataset.h"
#include "yoke/data/datasets/pickled_batch.h"

namespace yoke {

/// Appends the images of one of the split's files.
using ReadImages = std::function<void(const std::filesystem::path& file, ImageBatch& batch)>;

/// The images of `files`, in a file of the folder `cache` that is made from them where there is
/// none: uint8 [N, C, H, W], then their labels as int64 [N]. Its name changes with names, sizes and
/// times of the files. One of them at a time is in memory.
/// @throws Error when the cache cannot be written or is not of such images; what `read` throws.
std::shared_ptr<const Dataset> cached_split(const std::filesystem::path& cache,
                                            std::span<const std::filesystem::path> files,
                                            const DatasetInfo& info, const ReadImages& read);

}  // namespace yoke
