#include "yoke/launch/agent/process_tree.h"

#include <dirent.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <memory>

#include "yoke/core/parse_number.h"
#include "yoke/core/system/process_status.h"

namespace yoke::launch {
namespace {

/// All processes of /proc; those that end meanwhile are passed over.
std::map<int, ProcessStatus> processes() {
  std::map<int, ProcessStatus> found;
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir("/proc"), ::closedir);
  while (const dirent* const entry = directory ? ::readdir(directory.get()) : nullptr) {
    const auto pid = parse_number<int>(entry->d_name, 1);
    if (!pid) continue;
    if (const auto status = process_status(*pid)) found.emplace(*pid, *status);
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
