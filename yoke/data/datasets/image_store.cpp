#include "yoke/data/datasets/image_store.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <utility>

#include "yoke/core/files/file.h"
#include "yoke/data/formats/encoded_image.h"
#include "yoke/data/read_bytes.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;

/// Before memory is taken for a file.
void check_size(std::int64_t size_bytes) {
  constexpr std::int64_t kMost = std::int64_t{1} << 28;
  if (size_bytes <= kMost) return;
  throw DamagedImage(fmt::format("it has {} bytes; no image has more than {}", size_bytes, kMost));
}

}  // namespace

ImageStore::ImageStore(fs::path root, std::vector<std::unique_ptr<const TarFile>> archives)
    : root_(std::move(root)), archives_(std::move(archives)) {}

fs::path ImageStore::file(const ImagePlace& place) const {
  if (place.archive < 0) return root_ / place.name;
  return archives_[static_cast<std::size_t>(place.archive)]->path();
}

std::span<const std::uint8_t> ImageStore::read(const ImagePlace& place,
                                               std::vector<std::uint8_t>& scratch) const {
  if (place.archive >= 0) {
    check_size(place.size_bytes);
    return archives_[static_cast<std::size_t>(place.archive)]->read(place.offset, place.size_bytes,
                                                                    scratch);
  }
  const fs::path path = file(place);
  const FileDescriptor descriptor(path, O_RDONLY | O_CLOEXEC);
  const auto size_bytes = static_cast<std::int64_t>(fs::file_size(path));
  check_size(size_bytes);
  scratch.resize(static_cast<std::size_t>(size_bytes));
  read_bytes(descriptor, 0, scratch);
  return scratch;
}

}  // namespace yoke
