// yoke/core/files/appended_file.h: a file that grows by whole pieces.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "yoke/core/files/file.h"

namespace yoke {

/// A disk that is full for a while costs nothing: what could not be written comes with the next
/// piece, and until then the file ends where the last whole one does. For one writer at a time.
class AppendedFile {
 public:
  /// Opens the file at `path`, made if there is none; `flags` of open(2), besides.
  /// @throws Error with the system's reason.
  explicit AppendedFile(const std::filesystem::path& path, int flags = 0);

  /// Keeps `piece` for flush().
  void add(std::string_view piece) { waiting_ += piece; }
  std::size_t waiting_bytes() const { return waiting_.size(); }
  /// Hands what waits to the system. @throws Error when the disk fails; it then goes on waiting.
  void flush();

 private:
  FileDescriptor file_;
  std::int64_t size_bytes_;  // whole pieces
  std::string waiting_;
};

}  // namespace yoke
