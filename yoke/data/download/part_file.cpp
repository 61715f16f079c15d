#include "yoke/data/download/part_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "yoke/core/error.h"
#include "yoke/core/files/checksum.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;

}  // namespace

PartFile::PartFile(fs::path final_path) : final_path_(std::move(final_path)), path_(final_path_) {
  path_ += ".part";
  make_folder(folder_of(final_path_));
  file_ = std::make_unique<FileDescriptor>(path_, O_RDWR | O_CREAT | O_APPEND);
  lock();
}

void PartFile::lock() {
  struct stat held {
  }, named{};
  // File systems without locks (ENOLCK, EOPNOTSUPP) go unprotected; the checksum still catches a
  // clash.
  const bool busy = ::flock(file_->get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::fstat(file_->get(), &held);
  // Another process may have published between our open and our lock: then we hold its final file.
  const bool renamed = ::stat(path_.c_str(), &named) != 0 || held.st_ino != named.st_ino;
  if (busy || renamed) {
    throw Error(fmt::format("another process is downloading {}; wait until it is done",
                            final_path_.string()));
  }
  size_bytes_ = held.st_size;
}

PartFile::~PartFile() {
  if (!published_ && size_bytes_ == 0) ::unlink(path_.c_str());
}

std::string PartFile::digest(const char* algorithm) const {
  return file_checksum(algorithm, path_);
}

void PartFile::append(std::span<const std::byte> bytes) {
  try {
    file_->write(bytes);
  } catch (const Error& error) {
    throw Error(fmt::format("{}; the disk holds {} bytes of it, which a next try goes on from",
                            error.what(), size_bytes_));
  }
  size_bytes_ += static_cast<std::int64_t>(bytes.size());
}

void PartFile::clear() {
  if (size_bytes_ > 0 && ::ftruncate(file_->get(), 0) != 0) {
    throw Error(fmt::format("cannot empty {}: {}", path_.string(), std::strerror(errno)));
  }
  size_bytes_ = 0;
}

void PartFile::publish() {
  file_->sync();
  std::error_code error;
  fs::rename(path_, final_path_, error);
  if (error) {
    throw Error(fmt::format("cannot rename {} to {}: {}", path_.string(), final_path_.string(),
                            error.message()));
  }
  published_ = true;
  sync_directory(folder_of(final_path_));
}

}  // namespace yoke
