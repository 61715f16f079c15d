// yoke/core/files/mapped_file.h: the bytes of a file as memory.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "yoke/core/files/file.h"

namespace yoke {

/// A file whose pages the processes of a host share.
class MappedFile {
 public:
  /// Maps the whole file to be read. @throws Error where it is empty or cannot be mapped.
  explicit MappedFile(const std::filesystem::path& path);
  /// Maps the first `size_bytes` of an open file to be written, too.
  MappedFile(const FileDescriptor& file, const std::filesystem::path& path, std::size_t size_bytes);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::uint8_t> bytes() const { return bytes_; }
  /// Only of a file that was mapped to be written.
  std::span<std::uint8_t> writable() { return bytes_; }

 private:
  void map(const FileDescriptor& file, const std::filesystem::path& path, std::size_t size_bytes,
           int protection);

  std::span<std::uint8_t> bytes_;
};

}  // namespace yoke
