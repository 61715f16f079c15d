#include "yoke/data/datasets/photo_cache.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <system_error>

#include "yoke/core/error.h"
#include "yoke/core/format.h"
#include "yoke/core/system/parallel_for.h"
#include "yoke/data/datasets/cache_file.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;

/// At once: a mapped file on a full disk would end the process by a signal.
void take_room(const FileDescriptor& file, const fs::path& path, std::size_t size_bytes) {
  const int full = ::posix_fallocate(file.get(), 0, static_cast<off_t>(size_bytes));
  if (full == 0) return;
  throw Error(fmt::format("cannot take {} of disk for the cache of images {}: {}",
                          format_bytes(static_cast<std::int64_t>(size_bytes)), path.string(),
                          std::generic_category().message(full)));
}

}  // namespace

PhotoCache::PhotoCache(const fs::path& path, std::int64_t images, std::int64_t height,
                       std::int64_t width, const Fill& fill)
    : height_(height), width_(width) {
  const auto image_bytes = static_cast<std::size_t>(3 * height * width);
  const std::size_t size_bytes = static_cast<std::size_t>(images) * image_bytes;
  make_cache_file(path, [&](FileDescriptor& file, const fs::path& part) {
    take_room(file, path, size_bytes);
    MappedFile mapped(file, part, size_bytes);
    parallel_for(images, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        fill(i, mapped.writable().subspan(static_cast<std::size_t>(i) * image_bytes, image_bytes));
      }
    });
  });
  if (fs::file_size(path) != size_bytes) {
    throw Error(fmt::format("the cache of images {} has {} bytes, not {}; remove it", path.string(),
                            fs::file_size(path), size_bytes));
  }
  file_ = std::make_unique<const MappedFile>(path);
}

Raster PhotoCache::image(std::int64_t number) const {
  return {.pixels = file_->bytes().data() + number * height_ * width_ * 3,
          .height = height_,
          .width = width_};
}

}  // namespace yoke
