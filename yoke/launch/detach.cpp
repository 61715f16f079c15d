#include "yoke/launch/detach.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "yoke/core/error.h"
#include "yoke/core/files/file.h"

namespace yoke::launch {
namespace {

/// fork(2), or an error.
int fork_off() {
  const int pid = ::fork();
  if (pid < 0) throw Error("cannot start a process");
  return pid;
}

}  // namespace

Detached detach(const std::filesystem::path& log) {
  std::error_code error;
  std::filesystem::create_directories(log.parent_path(), error);
  const FileDescriptor output(log, O_WRONLY | O_CREAT | O_APPEND);
  const FileDescriptor nothing("/dev/null", O_RDONLY);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw Error("cannot make a pipe");
  const Descriptor reading(ends[0]);
  Descriptor writing(ends[1]);
  if (const int child = fork_off(); child > 0) {
    writing.reset();
    int pid = 0;
    if (::read(reading.get(), &pid, sizeof pid) != sizeof pid) pid = 0;
    ::waitpid(child, nullptr, 0);
    return {.parent = true, .pid = pid, .ready = Descriptor()};
  }
  ::setsid();
  if (fork_off() > 0) ::_exit(0);  // so that no terminal can become this session's
  ::signal(SIGHUP, SIG_IGN);
  ::dup2(nothing.get(), STDIN_FILENO);
  ::dup2(output.get(), STDOUT_FILENO);
  ::dup2(output.get(), STDERR_FILENO);
  return {.parent = false, .pid = 0, .ready = std::move(writing)};
}

void tell_ready(Detached& detached) {
  const int pid = ::getpid();
  [[maybe_unused]] const auto written = ::write(detached.ready.get(), &pid, sizeof pid);
  detached.ready.reset();
}

}  // namespace yoke::launch
