#include "yoke/report/machine/memory_limit.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>

namespace yoke {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();

/// Version 2 writes `max` for no limit, version 1 the largest multiple of a page.
std::int64_t limit_in(const fs::path& file) {
  std::ifstream stream(file);
  std::int64_t limit = 0;
  return stream >> limit && limit > 0 && limit < kNone / 2 ? limit : kNone;
}

std::int64_t tightest(const fs::path& root, const fs::path& group, const char* name) {
  std::int64_t least = kNone;
  for (fs::path path = group.relative_path();; path = path.parent_path()) {
    least = std::min(least, limit_in(root / path / name));
    if (path.empty()) return least;
  }
}

}  // namespace

std::int64_t memory_limit_bytes(std::string_view groups, const fs::path& root) {
  std::int64_t least = kNone;
  std::istringstream stream{std::string(groups)};
  for (std::string line; std::getline(stream, line);) {  // id:controllers:path
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const fs::path group = line.substr(second + 1);
    if (controllers.empty()) least = std::min(least, tightest(root, group, "memory.max"));
    if (controllers == "memory") {
      least = std::min(least, tightest(root / "memory", group, "memory.limit_in_bytes"));
    }
  }
  return least == kNone ? 0 : least;
}

std::int64_t memory_limit_bytes() {
  std::ifstream stream("/proc/self/cgroup");
  std::ostringstream groups;
  groups << stream.rdbuf();
  return memory_limit_bytes(groups.str(), "/sys/fs/cgroup");
}

}  // namespace yoke
