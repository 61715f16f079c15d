// yoke/data/datasets/photo_cache.h: decoded images in a file, for data sets small enough to decode
// once.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>

#include "yoke/core/files/mapped_file.h"
#include "yoke/data/formats/raster.h"

namespace yoke {

/// Images of one size, RGB uint8 [images, height, width, 3], in a file that is mapped to memory:
/// the processes of a host share its pages.
class PhotoCache {
 public:
  /// Writes an image, uint8 [height, width, 3]; called for each once, from several threads.
  using Fill = std::function<void(std::int64_t image, std::span<std::uint8_t> pixels)>;

  /// Opens `path`, which `fill` makes where there is none, as make_cache_file() does.
  /// @throws Error when there is no room on the disk or the file cannot be written or has another
  /// size; what `fill` throws.
  PhotoCache(const std::filesystem::path& path, std::int64_t images, std::int64_t height,
             std::int64_t width, const Fill& fill);

  /// Valid as long as this is.
  Raster image(std::int64_t number) const;

 private:
  std::int64_t height_, width_;
  std::unique_ptr<const MappedFile> file_;
};

}  // namespace yoke
