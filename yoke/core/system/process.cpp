#include "yoke/core/system/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>

extern "C" {  // glibc 2.36 forgets to say so
#include <sys/pidfd.h>
}

#include <cerrno>
#include <cstring>

#include "yoke/core/error.h"

namespace yoke {
namespace {

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  for (auto& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

/// Everything the child needs, made before the fork: after it, only calls that a handler may make.
struct Prepared {
  std::vector<char*> arguments, environment;
  int in, out, err, death_signal, parent;
  int report;  // where errno goes when the program cannot be run
};

[[noreturn]] void become(const Prepared& prepared) {
  ::setsid();
  ::prctl(PR_SET_PDEATHSIG, prepared.death_signal);
  if (::getppid() != prepared.parent) ::_exit(1);  // the parent died before it was watched
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  const int streams[] = {prepared.in, prepared.out, prepared.err};
  for (int number = 0; number < 3; ++number) {
    const int fd = streams[number] >= 0 ? streams[number] : ::open("/dev/null", O_RDWR);
    ::dup2(fd, number);  // the copy stays open over exec
  }
  ::execvpe(prepared.arguments[0], prepared.arguments.data(), prepared.environment.data());
  const int reason = errno;
  [[maybe_unused]] const auto written = ::write(prepared.report, &reason, sizeof reason);
  ::_exit(127);
}

[[noreturn]] void refuse(const std::string& program, int reason) {
  const char* hint = "";
  if (reason == ENOENT) hint = "; give a path, or a program in PATH";
  if (reason == EACCES) hint = "; is it executable? A script can be given as: python3 FILE";
  throw UsageError(fmt::format("cannot run '{}': {}{}", program, std::strerror(reason), hint));
}

}  // namespace

Process::Process(const ProcessOptions& options) {
  std::vector<std::string> arguments = options.arguments, environment;
  for (const auto& [name, value] : options.environment) {
    environment.push_back(fmt::format("{}={}", name, value));
  }
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw Error("cannot make a pipe");
  const Descriptor reading(ends[0]);
  Descriptor writing(ends[1]);
  const Prepared prepared{pointers(arguments), pointers(environment), options.in, options.out,
                          options.err,         options.death_signal,  ::getpid(), writing.get()};
  pid_ = ::fork();
  if (pid_ == 0) become(prepared);
  if (pid_ < 0) throw Error(fmt::format("cannot start a process: {}", std::strerror(errno)));
  writing.reset();
  int reason = 0;
  if (::read(reading.get(), &reason, sizeof reason) == sizeof reason) {
    ::waitpid(pid_, nullptr, 0);
    refuse(options.arguments.front(), reason);
  }
  descriptor_ = Descriptor(::pidfd_open(pid_, 0));
  if (descriptor_.get() < 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    throw Error(fmt::format("cannot watch a process: {}; Linux 5.3 or newer is needed",
                            std::strerror(errno)));
  }
}

Process::~Process() {
  if (descriptor_.get() < 0 || exit_) return;
  send(SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void Process::send(int signal) const {
  if (!exit_) ::pidfd_send_signal(descriptor_.get(), signal, nullptr, 0);
}

std::optional<int> Process::poll() {
  int status = 0;
  if (!exit_ && ::waitpid(pid_, &status, WNOHANG) == pid_) {
    exit_ = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  return exit_;
}

}  // namespace yoke
