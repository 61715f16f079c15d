// yoke/data/datasets/image_labels.h: classes and splits of images from a CSV file, in place of
// those that folders name.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "yoke/data/datasets/image_search.h"

namespace yoke {

/// Gives the images the classes that the CSV file `path` says, and its splits where it has them.
/// Its first line names columns: the image is in `file_name`, `file`, `filename`, `image`,
/// `image_id`, `path` or `id`, else in the first; the class in `label`, `class`, `category` or
/// `target`, else in the second; the split in `split`. An image is named below the root, or by what
/// is left of that without folders or ending, where no other one is.
/// Returns the names of images that the file does not have, sorted; they are taken out.
/// @throws UsageError that names file and line, of an image that is not there or twice, of one
/// whose name several have, of a split that there is not, and of a missing column or class.
std::vector<std::string> apply_labels(std::vector<FoundImage>& images,
                                      const std::filesystem::path& path);

}  // namespace yoke
