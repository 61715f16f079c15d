// yoke/data/formats/tar.h: the files inside a tar file, read in any order without unpacking it.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "yoke/core/files/file.h"

namespace yoke {

/// An index of a tar file (ustar, pax or GNU), made by going through it once. A plain one is read
/// in place; of one that is compressed (gzip, xz, bzip2, zstd) the wanted files stay in memory.
class TarFile {
 public:
  struct Entry {
    std::string name;  ///< As in the archive, e.g. `train/cat/1.jpg`.
    std::int64_t offset = 0;
    std::int64_t size_bytes = 0;
  };

  /// Takes the regular files whose names are `wanted`.
  /// @throws Error when it is no tar file, is damaged or cut short; UsageError when it is
  /// compressed and what is wanted takes more than 8 GiB.
  TarFile(std::filesystem::path path, const std::function<bool(std::string_view name)>& wanted);

  const std::filesystem::path& path() const { return path_; }
  const std::vector<Entry>& entries() const { return entries_; }

  /// The bytes of an entry; in `scratch`, or valid as long as this is. Safe from several threads.
  /// @throws Error when they cannot be read.
  std::span<const std::uint8_t> read(std::int64_t offset, std::int64_t size_bytes,
                                     std::vector<std::uint8_t>& scratch) const;

 private:
  class Index;
  class Source;

  std::filesystem::path path_;
  std::unique_ptr<FileDescriptor> file_;  // null where it is compressed
  std::vector<std::uint8_t> memory_;      // of the entries, where it is
  std::vector<Entry> entries_;
};

/// Whether a file of this name is taken for a tar file: `.tar`, `.tgz`, `.txz`, `.tar.gz` and the
/// like.
bool is_tar_name(std::string_view name);

}  // namespace yoke
