// yoke/core/system/process_status.h: what the kernel says of a process.
#pragma once
#include <optional>
#include <string>

namespace yoke {

struct ProcessStatus {
  int parent = 0;
  bool ended = false;  ///< And waits for its parent to be told.
  std::string started =
      {};  ///< In ticks since the kernel began; with the number it names one for good.
};

/// Of the process `pid`, from /proc; empty where there is none that may be seen.
std::optional<ProcessStatus> process_status(int pid);

}  // namespace yoke
