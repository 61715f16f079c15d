#include "yoke/core/files/atomic.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include "yoke/core/error.h"
#include "yoke/core/files/file.h"
#include "yoke/core/files/process_name.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMark = ".tmp-";

fs::path temporary_of(const fs::path& path) {
  return folder_of(path) / fmt::format(".{}{}{}", path.filename().string(), kMark, process_name());
}

/// The process_name() in the name of a temporary; empty where it is none.
std::string_view writer_of(std::string_view name) {
  const auto mark = name.rfind(kMark);
  if (!name.starts_with('.') || mark == std::string_view::npos) return {};
  return name.substr(mark + kMark.size());
}

}  // namespace

void write_atomically(const fs::path& path,
                      const std::function<void(const fs::path& temporary)>& write) {
  const auto temporary = temporary_of(path);
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
  sync_directory(folder_of(path));
}

void give_up(const fs::path& path) { ::rename(path.c_str(), temporary_of(path).c_str()); }

void remove_leftovers(const fs::path& directory) {
  const std::string own = process_name();
  std::error_code ignored;
  for (fs::directory_iterator entry(directory, ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    const std::string name = entry->path().filename().string();
    const auto writer = writer_of(name);
    if (writer != own && !is_gone(writer)) continue;
    std::error_code failed;
    fs::remove_all(entry->path(), failed);
  }
}

}  // namespace yoke
