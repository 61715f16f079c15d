// yoke/core/files/file.h: files that are read whole and written whole or not at all.
#pragma once
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace yoke {

/// A file descriptor that closes itself.
class FileDescriptor {
 public:
  /// Opens `path` with the flags of open(2). @throws Error with the path and the system's reason.
  FileDescriptor(const std::filesystem::path& path, int flags, unsigned mode = 0644);
  ~FileDescriptor();
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;

  int get() const { return fd_; }
  /// Writes all of `bytes`. @throws Error, e.g. when the disk is full.
  void write(std::span<const std::byte> bytes);
  /// Waits until what was written is on the disk. @throws Error.
  void sync();

 private:
  std::filesystem::path path_;
  int fd_;
};

/// The whole file. @throws Error when it cannot be read.
std::string read_file(const std::filesystem::path& path);

/// Replaces `path` by `bytes` atomically: temporary file, fsync, rename, fsync of the directory.
/// @throws Error; `path` is then as it was.
void write_file(const std::filesystem::path& path, std::string_view bytes);

/// Writes `bytes` to the new file `path` and waits for the disk; for files in a temporary
/// directory.
void write_synced(const std::filesystem::path& path, std::span<const std::byte> bytes);

/// The folder that `path` lies in; `.` for a bare name.
std::filesystem::path folder_of(const std::filesystem::path& path);

/// Makes `folder` and those above it, where they are not there.
/// @throws Error with the system's reason.
void make_folder(const std::filesystem::path& folder);

/// Waits until the entries of `directory` are on the disk.
void sync_directory(const std::filesystem::path& directory);

}  // namespace yoke
