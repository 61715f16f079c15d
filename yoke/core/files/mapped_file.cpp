#include "yoke/core/files/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <system_error>

#include "yoke/core/error.h"

namespace yoke {

MappedFile::MappedFile(const std::filesystem::path& path) {
  const FileDescriptor file(path, O_RDONLY | O_CLOEXEC);
  map(file, path, std::filesystem::file_size(path), PROT_READ);
}

MappedFile::MappedFile(const FileDescriptor& file, const std::filesystem::path& path,
                       std::size_t size_bytes) {
  map(file, path, size_bytes, PROT_READ | PROT_WRITE);
}

void MappedFile::map(const FileDescriptor& file, const std::filesystem::path& path,
                     std::size_t size_bytes, int protection) {
  void* const address = ::mmap(nullptr, size_bytes, protection, MAP_SHARED, file.get(), 0);
  if (address == MAP_FAILED) {
    throw Error(fmt::format("cannot map {} to memory: {}", path.string(),
                            std::generic_category().message(errno)));
  }
  bytes_ = {static_cast<std::uint8_t*>(address), size_bytes};
}

MappedFile::~MappedFile() { ::munmap(bytes_.data(), bytes_.size()); }

}  // namespace yoke
