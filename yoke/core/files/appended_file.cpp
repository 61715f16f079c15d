#include "yoke/core/files/appended_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <span>

#include "yoke/core/error.h"

namespace yoke {

AppendedFile::AppendedFile(const std::filesystem::path& path, int flags)
    : file_(path, O_WRONLY | O_CREAT | O_APPEND | flags),
      size_bytes_(::lseek(file_.get(), 0, SEEK_END)) {}

void AppendedFile::flush() {
  if (waiting_.empty()) return;
  try {
    file_.write(std::as_bytes(std::span(waiting_)));
  } catch (const Error&) {
    // Without the half piece; if that fails, too, readers pass it over.
    [[maybe_unused]] const int ignored = ::ftruncate(file_.get(), size_bytes_);
    throw;
  }
  size_bytes_ += static_cast<std::int64_t>(waiting_.size());
  waiting_.clear();
}

}  // namespace yoke
