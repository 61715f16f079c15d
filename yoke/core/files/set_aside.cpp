#include "yoke/core/files/set_aside.h"

#include <fmt/format.h>

#include <system_error>

#include "yoke/core/error.h"

namespace yoke {

namespace fs = std::filesystem;

fs::path path_aside(const fs::path& path, const std::string& why) {
  const std::string name = path.filename().string();
  fs::path free = path.parent_path() / fmt::format("{}-{}", why, name);
  for (int number = 2; fs::exists(fs::symlink_status(free)); ++number) {
    free = path.parent_path() / fmt::format("{}-{}-{}", why, number, name);
  }
  return free;
}

fs::path set_aside(const fs::path& path, const std::string& why) {
  const fs::path aside = path_aside(path, why);
  std::error_code failed;
  fs::rename(path, aside, failed);
  if (!failed) return aside;
  throw Error(fmt::format("cannot set {} aside as {}: {}", path.string(), aside.filename().string(),
                          failed.message()));
}

}  // namespace yoke
