#include "yoke/core/files/file_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <cerrno>
#include <cstring>

#include "yoke/core/error.h"

namespace yoke {
namespace {

/// False where another process holds it, and LOCK_NB was given.
bool lock(int file, int how, const std::filesystem::path& path) {
  while (::flock(file, how) != 0) {
    if (errno == EWOULDBLOCK) return false;
    if (errno == ENOLCK || errno == EOPNOTSUPP || errno == ENOSYS) return true;
    if (errno == EINTR) continue;
    throw Error(fmt::format("cannot lock {}: {}", path.string(), std::strerror(errno)));
  }
  return true;
}

}  // namespace

FileLock::FileLock(const std::filesystem::path& path) : file_(path, O_RDWR | O_CREAT) {
  lock(file_.get(), LOCK_EX, path);
}

FileLock::FileLock(const std::filesystem::path& path, const std::string& busy)
    : file_(path, O_RDWR | O_CREAT) {
  if (!lock(file_.get(), LOCK_EX | LOCK_NB, path)) throw UsageError(busy);
}

}  // namespace yoke
