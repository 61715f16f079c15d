#include "yoke/core/system/dead_segments.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

namespace yoke {
namespace {

namespace fs = std::filesystem;

bool is_own_file(int file) {
  struct stat status {};
  return ::fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == ::geteuid();
}

void remove_if_dead(const fs::path& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return;
  if (is_own_file(file) && !has_owner(file)) ::unlink(path.c_str());
  ::close(file);
}

}  // namespace

struct flock segment_lock(short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_len = 1;
  return lock;
}

bool has_owner(int file) {
  auto lock = segment_lock(F_WRLCK);
  return ::fcntl(file, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

void remove_dead_segments() {
  std::error_code failed;
  for (fs::directory_iterator entry(kSegmentFolder, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    if (entry->path().filename().string().starts_with(kSegmentPrefix)) {
      remove_if_dead(entry->path());
    }
  }
}

}  // namespace yoke
