// yoke/data/download/part_file.h: a file that arrives piece by piece and appears under its name
// when whole.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "yoke/core/files/file.h"

namespace yoke {

/// The unfinished file `<name>.part` beside the final name, locked against other processes. It
/// stays when this object goes, so that a later download can go on with it, unless it is empty.
class PartFile {
 public:
  /// Opens what is there, or makes it and its folder.
  /// @throws Error when that fails or another process is writing it.
  explicit PartFile(std::filesystem::path final_path);
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  std::int64_t size_bytes() const { return size_bytes_; }
  /// Of what is there, by `algorithm` as Checksum takes it.
  std::string digest(const char* algorithm) const;
  /// @throws Error, e.g. when the disk is full; what was written before stays.
  void append(std::span<const std::byte> bytes);
  void clear();
  /// Waits for the disk, then gives the file its final name in place of what had it. Ends the use
  /// of this object.
  void publish();

 private:
  void lock();

  std::filesystem::path final_path_;
  std::filesystem::path path_;
  std::unique_ptr<FileDescriptor> file_;
  std::int64_t size_bytes_ = 0;
  bool published_ = false;
};

}  // namespace yoke
