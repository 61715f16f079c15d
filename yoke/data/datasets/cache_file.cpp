#include "yoke/data/datasets/cache_file.h"

#include <fcntl.h>

#include "yoke/core/files/file_lock.h"

namespace yoke {

void make_cache_file(const std::filesystem::path& path, const FillCache& fill) {
  make_folder(path.parent_path());
  const FileLock lock(path.string() + ".lock");
  if (std::filesystem::exists(path)) return;
  const std::filesystem::path part = path.string() + ".part";
  try {
    FileDescriptor file(part, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC);
    fill(file, part);
    file.sync();
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(part, ignored);
    throw;
  }
  std::filesystem::rename(part, path);
  sync_directory(path.parent_path());
}

}  // namespace yoke
