// yoke/core/system/process.h: a child process, watched by a descriptor.
#pragma once
#include <csignal>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "yoke/core/files/descriptor.h"

namespace yoke {

/// Variables of an environment by name.
using Environment = std::map<std::string, std::string>;

/// How a process starts.
struct ProcessOptions {
  std::vector<std::string> arguments;  ///< The program, looked for in PATH, and its arguments.
  Environment environment;             ///< All of it.
  int in = -1, out = -1, err = -1;     ///< Descriptors for 0, 1 and 2; -1 is /dev/null.
  int death_signal = SIGKILL;          ///< What it gets when this process dies.
};

/// A child in a session of its own. The destructor kills it, not what it started.
class Process {
 public:
  /// @throws UsageError when the program cannot be run, with the system's reason.
  explicit Process(const ProcessOptions& options);
  Process(Process&&) noexcept = default;
  Process& operator=(Process&&) = delete;
  ~Process();

  int pid() const { return pid_; }
  /// Becomes readable when the process ends.
  int descriptor() const { return descriptor_.get(); }
  /// Sends `signal` unless the process has ended.
  void send(int signal) const;
  /// How it ended, without waiting: its exit status, or minus the signal that ended it. Nothing
  /// while it runs.
  std::optional<int> poll();

 private:
  int pid_ = 0;
  Descriptor descriptor_;
  std::optional<int> exit_;
};

}  // namespace yoke
