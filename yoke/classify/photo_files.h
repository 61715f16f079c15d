// yoke/classify/photo_files.h: photos of files, folders and tar files, in the order of their names.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "yoke/data/datasets/image_search.h"

namespace yoke {

/// Where photos are, and what their folders say of them.
class PhotoFiles {
 public:
  /// Adds a file as it is, of whatever name; or the images of a folder or tar file, by name.
  /// @throws UsageError when there is no `path`; Error when it cannot be searched.
  void add(const std::filesystem::path& path);

  std::int64_t size() const { return static_cast<std::int64_t>(photos_.size()); }
  /// As one would type it; of a photo in a tar file, that file, '/' and its name there.
  const std::string& name(std::int64_t index) const { return at(index).name; }
  /// The folder that would be its class; empty where there is none.
  const std::string& folder(std::int64_t index) const { return at(index).folder; }

  /// Its bytes; in `scratch`, or valid as long as this is. Safe from several threads.
  /// @throws Error when they cannot be read, DamagedImage when there are too many.
  std::span<const std::uint8_t> read(std::int64_t index, std::vector<std::uint8_t>& scratch) const {
    return stores_[at(index).store].read(at(index).place, scratch);
  }

 private:
  struct Photo {
    std::string name;
    std::string folder;
    std::size_t store = 0;  // of stores_
    ImagePlace place;
  };

  const Photo& at(std::int64_t index) const { return photos_[static_cast<std::size_t>(index)]; }
  void add_below(const std::filesystem::path& root);

  std::vector<ImageStore> stores_;
  std::vector<Photo> photos_;
};

}  // namespace yoke
