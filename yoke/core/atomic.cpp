#include "yoke/core/atomic.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "yoke/core/error.h"
#include "yoke/core/file.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMark = ".tmp-";

/// The process that made the temporary `name`, or nothing where it is none.
std::optional<pid_t> owner_of(std::string_view name) {
  const auto mark = name.rfind(kMark);
  if (!name.starts_with('.') || mark == std::string_view::npos) return std::nullopt;
  const auto digits = name.substr(mark + kMark.size());
  pid_t owner = 0;
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), owner);
  if (error != std::errc() || end != digits.end() || owner <= 0) return std::nullopt;
  return owner;
}

bool is_gone(pid_t process) { return ::kill(process, 0) != 0 && errno == ESRCH; }

}  // namespace

void write_atomically(const fs::path& path,
                      const std::function<void(const fs::path& temporary)>& write) {
  const auto parent = folder_of(path);
  const auto temporary =
      parent / fmt::format(".{}{}{}", path.filename().string(), kMark, ::getpid());
  std::error_code ignored;
  fs::remove_all(temporary, ignored);
  try {
    write(temporary);
    if (fs::is_directory(temporary)) sync_directory(temporary);
    if (::rename(temporary.c_str(), path.c_str()) != 0) {
      throw Error(fmt::format("cannot make {}: {}", path.string(), std::strerror(errno)));
    }
  } catch (...) {
    fs::remove_all(temporary, ignored);
    throw;
  }
  sync_directory(parent);
}

void remove_leftovers(const fs::path& directory) {
  std::error_code ignored;
  for (fs::directory_iterator entry(directory, ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    const auto owner = owner_of(entry->path().filename().string());
    if (!owner || (*owner != ::getpid() && !is_gone(*owner))) continue;
    std::error_code failed;
    fs::remove_all(entry->path(), failed);
  }
}

}  // namespace yoke
