// yoke/data/datasets/image_search.h: finds the image files below a folder and in the tar files
// there.
#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "yoke/data/datasets/image_store.h"

namespace yoke {

/// An image with what its path says of it.
struct FoundImage {
  std::string split;  ///< `train`, `val`, `test`, or empty where none is named.
  std::string label;  ///< Name of its class; empty where none is named.
  ImagePlace place;
  /// The split that its own folder names, which may be its class as well; else empty.
  std::string folder_split = {};
};

/// What was found, in no order.
struct FoundImages {
  std::vector<FoundImage> images;
  ImageStore store;
  /// Below the root, sorted: folders with no image in or below them, beside others that have some.
  std::vector<std::string> empty_folders;
};

/// The split that a folder called `name` stands for: `val` for `validation`; empty for others.
std::string split_of(std::string_view name);

/// Searches below the folder or in the tar file `root`; tar files are read on LibTorch's threads.
/// Names that begin with a dot are passed over, and outer folders that all images are in. @throws
/// Error when a tar file is damaged or a folder cannot be read.
FoundImages find_images(const std::filesystem::path& root);

/// Several as one; names of images begin with that of their root. @throws UsageError where one root
/// is another, or in it.
FoundImages find_images(const std::vector<std::filesystem::path>& roots);

/// The split and the class of an image in `folders`, outermost first, of the tar file whose name
/// without endings is `shard`; that is empty for a file of its own.
FoundImage classify(std::span<const std::string> folders, std::string_view shard);

}  // namespace yoke
