#include "yoke/launch/agent/reaper.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>

#include "yoke/core/error.h"
#include "yoke/core/parse_number.h"
#include "yoke/core/system/dead_segments.h"

namespace yoke::launch {
namespace {

using namespace std::chrono_literals;

/// /proc/PID/environ, as far as it can be read: the process may end meanwhile.
std::string environment_of(int pid) {
  std::ifstream file(fmt::format("/proc/{}/environ", pid), std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();  // keeps what its buffer throws to itself
  return text.str();
}

/// Kills every process with `entry` in its environment; whether there was one.
bool kill_all_with(const std::string& entry) {
  bool found = false;
  std::error_code gone;
  for (const auto& process : std::filesystem::directory_iterator("/proc", gone)) {
    const auto pid = parse_number<int>(process.path().filename().native(), 1);
    if (!pid || *pid == ::getpid()) continue;
    const std::string environment = environment_of(*pid);
    const auto place = environment.find(entry);
    if (place == std::string::npos || (place > 0 && environment[place - 1] != '\0')) continue;
    found = true;
    ::kill(*pid, SIGKILL);
  }
  return found;
}

/// The reaper's whole life. `line` is readable when the agent says goodbye or has died.
[[noreturn]] void keep(int line, const std::string& id) {
  ::setsid();
  ::prctl(PR_SET_NAME, "yoke-reaper");
  const int nothing = ::open("/dev/null", O_RDWR);
  for (int fd = 0; fd < 3; ++fd) ::dup2(nothing, fd);
  if (line != 3) ::dup2(line, 3);
  ::close_range(4, ~0U, 0);  // others wait for the ends of these
  char goodbye = 0;
  ssize_t size = 0;
  while ((size = ::read(3, &goodbye, 1)) < 0 && errno == EINTR) {
  }
  if (size == 1) ::_exit(0);
  const std::string entry = fmt::format("{}={}{}", kReaperVariable, id, '\0');
  // Again while there are some: they may have been starting others.
  for (int look = 0; look < 1000 && kill_all_with(entry); ++look) std::this_thread::sleep_for(5ms);
  remove_dead_segments();
  ::_exit(0);
}

}  // namespace

Reaper::Reaper()
    : id_(fmt::format("{}-{:08x}{:08x}", ::getpid(), std::random_device()(),
                      std::random_device()())) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw Error("cannot make a pipe");
  const Descriptor reading(ends[0]);
  line_ = Descriptor(ends[1]);
  const int child = ::fork();
  if (child < 0) throw Error("cannot start a process");
  if (child == 0) {
    line_.reset();
    // Twice, so that it is no child that would be ended with the ranks.
    if (::fork() != 0) ::_exit(0);
    keep(reading.get(), id_);
  }
  ::waitpid(child, nullptr, 0);
}

Reaper::~Reaper() {
  const char goodbye = 1;
  [[maybe_unused]] const auto written = ::write(line_.get(), &goodbye, 1);
}

}  // namespace yoke::launch
