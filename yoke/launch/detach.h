// yoke/launch/detach.h: goes on without the terminal.
#pragma once
#include <filesystem>

#include "yoke/core/files/descriptor.h"

namespace yoke::launch {

/// Which of the two processes this is after detach().
struct Detached {
  bool parent = false;
  int pid = 0;       ///< In the parent: of the other one; 0 when it ended before it was ready.
  Descriptor ready;  ///< In the other one: to be given to tell_ready().
};

/// Splits this process in two. One stays with the terminal and returns once the other is ready; the
/// other has a session of its own, and writes to `log`. To be called before any thread starts.
/// @throws Error when `log` cannot be written.
Detached detach(const std::filesystem::path& log);

/// Lets the parent go on.
void tell_ready(Detached& detached);

}  // namespace yoke::launch
