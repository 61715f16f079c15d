// yoke/core/files/file_lock.h: one process at a time.
#pragma once
#include <filesystem>

#include "yoke/core/files/file.h"

namespace yoke {

/// Holds the file `path` alone, which is made where it is not there and stays: flock(2). On a file
/// system without locks it holds nothing.
class FileLock {
 public:
  /// Waits until no other process holds it. @throws Error when it cannot be opened or locked.
  explicit FileLock(const std::filesystem::path& path);
  /// The same without waiting. @throws UsageError with `busy` where another process holds it.
  FileLock(const std::filesystem::path& path, const std::string& busy);

 private:
  FileDescriptor file_;
};

}  // namespace yoke
