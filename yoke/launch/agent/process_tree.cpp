#include "yoke/launch/agent/process_tree.h"

#include <dirent.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "yoke/core/parse_number.h"

namespace yoke::launch {
namespace {

struct Entry {
  int parent = 0;
  bool ended = false;  // waits to be reaped
};

/// All processes of /proc; those that end meanwhile are passed over.
std::map<int, Entry> processes() {
  std::map<int, Entry> found;
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir("/proc"), ::closedir);
  while (const dirent* const entry = directory ? ::readdir(directory.get()) : nullptr) {
    const auto pid = parse_number<int>(entry->d_name, 1);
    if (!pid) continue;
    std::ifstream stat(fmt::format("/proc/{}/stat", *pid));
    std::string text;
    if (!std::getline(stat, text, '\0')) continue;
    const auto name_end = text.rfind(')');  // the name may hold blanks and parentheses
    if (name_end == std::string::npos || name_end + 4 > text.size()) continue;
    const char state = text[name_end + 2];
    auto rest = std::string_view(text).substr(name_end + 4);
    found[*pid] = {.parent = take_number<int>(rest).value_or(0),
                   .ended = state == 'Z' || state == 'X'};
  }
  return found;
}

}  // namespace

void adopt_orphans() { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }

std::vector<int> descendants() {
  const auto all = processes();
  std::multimap<int, int> children;
  for (const auto& [pid, entry] : all) children.emplace(entry.parent, pid);
  std::vector<int> found, below = {::getpid()};
  while (!below.empty()) {
    const int parent = below.back();
    below.pop_back();
    const auto [begin, end] = children.equal_range(parent);
    for (auto child = begin; child != end; ++child) {
      below.push_back(child->second);
      if (!all.at(child->second).ended) found.push_back(child->second);
    }
  }
  return found;
}

bool reap_children() {
  pid_t reaped = 0;
  do {
    reaped = ::waitpid(-1, nullptr, WNOHANG);
  } while (reaped > 0 || (reaped < 0 && errno == EINTR));
  return reaped == 0;
}

}  // namespace yoke::launch
