#include "yoke/data/datasets/photo_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <system_error>

#include "yoke/core/error.h"
#include "yoke/core/files/file.h"
#include "yoke/core/files/file_lock.h"
#include "yoke/core/format.h"
#include "yoke/core/system/parallel_for.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(std::string_view what, const fs::path& path, int reason) {
  throw Error(fmt::format("cannot {} the cache of images {}: {}", what, path.string(),
                          std::generic_category().message(reason)));
}

fs::path beside(const fs::path& path, const char* ending) { return path.string() + ending; }

}  // namespace

/// A file's bytes as memory.
class PhotoCache::Mapping {
 public:
  Mapping(const FileDescriptor& file, const fs::path& path, std::size_t size_bytes, int protection)
      : size_bytes_(size_bytes) {
    void* const address = ::mmap(nullptr, size_bytes, protection, MAP_SHARED, file.get(), 0);
    if (address == MAP_FAILED) fail("map", path, errno);
    bytes_ = static_cast<std::uint8_t*>(address);
  }
  ~Mapping() { ::munmap(bytes_, size_bytes_); }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  std::uint8_t* bytes() const { return bytes_; }

 private:
  std::size_t size_bytes_;
  std::uint8_t* bytes_ = nullptr;
};

void PhotoCache::make(const fs::path& path, std::int64_t images, std::size_t image_bytes,
                      const Fill& fill) {
  const std::size_t size_bytes = static_cast<std::size_t>(images) * image_bytes;
  const fs::path part = beside(path, ".part");
  FileDescriptor file(part, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC);
  // Room is taken at once: a mapped file on a full disk would end the process by a signal.
  const int full = ::posix_fallocate(file.get(), 0, static_cast<off_t>(size_bytes));
  if (full != 0) {
    fs::remove(part);
    const auto room = format_bytes(static_cast<std::int64_t>(size_bytes));
    fail(fmt::format("take {} of disk for", room), path, full);
  }
  const Mapping mapping(file, part, size_bytes, PROT_READ | PROT_WRITE);
  parallel_for(images, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      fill(i, {mapping.bytes() + static_cast<std::size_t>(i) * image_bytes, image_bytes});
    }
  });
  file.sync();
  fs::rename(part, path);
  sync_directory(path.parent_path());
}

PhotoCache::PhotoCache(const fs::path& path, std::int64_t images, std::int64_t height,
                       std::int64_t width, const Fill& fill)
    : height_(height), width_(width) {
  const auto image_bytes = static_cast<std::size_t>(3 * height * width);
  const std::size_t size_bytes = static_cast<std::size_t>(images) * image_bytes;
  make_folder(path.parent_path());
  const FileLock lock(beside(path, ".lock"));
  if (!fs::exists(path)) make(path, images, image_bytes, fill);
  if (fs::file_size(path) != size_bytes) {
    throw Error(fmt::format("the cache of images {} has {} bytes, not {}; remove it", path.string(),
                            fs::file_size(path), size_bytes));
  }
  const FileDescriptor file(path, O_RDONLY | O_CLOEXEC);
  mapping_ = std::make_unique<const Mapping>(file, path, size_bytes, PROT_READ);
}

PhotoCache::~PhotoCache() = default;

Raster PhotoCache::image(std::int64_t number) const {
  return {.pixels = mapping_->bytes() + number * height_ * width_ * 3,
          .height = height_,
          .width = width_};
}

}  // namespace yoke
