// yoke/report/machine/process_usage.h: what this process has used.
#pragma once
#include <cstdint>

namespace yoke {

/// Counted since the process began; all threads together.
struct ProcessUsage {
  double cpu_seconds = 0;           ///< In user and kernel mode.
  std::int64_t rss_bytes = 0;       ///< Resident memory now; 0 where /proc cannot be read.
  std::int64_t peak_rss_bytes = 0;  ///< The most it has been.
};

ProcessUsage process_usage();

}  // namespace yoke
