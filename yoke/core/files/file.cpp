#include "yoke/core/files/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "yoke/core/error.h"
#include "yoke/core/files/atomic.h"

namespace yoke {
namespace {

[[noreturn]] void fail(const char* action, const std::filesystem::path& path) {
  throw Error(fmt::format("cannot {} {}: {}", action, path.string(), std::strerror(errno)));
}

/// Up to as many bytes; 0 at the end of the file.
std::size_t read_some(int file, std::span<char> bytes, const std::filesystem::path& path) {
  for (;;) {
    const ssize_t got = ::read(file, bytes.data(), bytes.size());
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) fail("read", path);
  }
}

}  // namespace

FileDescriptor::FileDescriptor(const std::filesystem::path& path, int flags, unsigned mode)
    : path_(path), fd_(::open(path.c_str(), flags | O_CLOEXEC, mode)) {
  if (fd_ < 0) fail("open", path_);
}

FileDescriptor::~FileDescriptor() { ::close(fd_); }

void FileDescriptor::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("write", path_);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void FileDescriptor::sync() {
  if (::fsync(fd_) != 0) fail("sync", path_);
}

std::string read_file(const std::filesystem::path& path) {
  const FileDescriptor file(path, O_RDONLY);
  constexpr std::size_t kPiece = 1 << 16;
  std::string text;
  std::size_t size = 0, got = 0;
  do {
    // Doubling, for a file of /proc does not tell its size.
    if (text.size() == size) text.resize(std::max(2 * size, kPiece));
    got = read_some(file.get(), std::span(text).subspan(size), path);
    size += got;
  } while (got > 0);
  text.resize(size);
  return text;
}

void write_synced(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  FileDescriptor file(path, O_WRONLY | O_CREAT | O_TRUNC);
  file.write(bytes);
  file.sync();
}

void sync_directory(const std::filesystem::path& directory) {
  FileDescriptor(directory, O_RDONLY | O_DIRECTORY).sync();
}

void write_file(const std::filesystem::path& path, std::string_view bytes) {
  write_atomically(path, [&](const std::filesystem::path& temporary) {
    write_synced(temporary, std::as_bytes(std::span(bytes)));
  });
}

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error && std::filesystem::is_directory(folder)) return;
  throw Error(fmt::format("cannot make the folder {}: {}; choose one you may write to",
                          folder.string(), error ? error.message() : std::strerror(ENOTDIR)));
}

}  // namespace yoke
