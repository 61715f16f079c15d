#include "yoke/report/machine/process_usage.h"

#include <time.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace yoke {
namespace {

/// A field `key: value kB` of /proc/self/status in bytes, or 0. Unlike getrusage's, its peak is not
/// inherited from the program that started this one.
std::int64_t status_bytes(const std::string& text_of_key) {
  std::ifstream status("/proc/self/status");
  std::string key;
  while (status >> key) {
    std::int64_t kilobytes = 0;
    if (key == text_of_key) return status >> kilobytes ? kilobytes * 1024 : 0;
    std::getline(status, key);
  }
  return 0;
}

}  // namespace

ProcessUsage process_usage() {
  ProcessUsage usage;
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  usage.cpu_seconds = static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  usage.rss_bytes = status_bytes("VmRSS:");
  usage.peak_rss_bytes = std::max(status_bytes("VmHWM:"), usage.rss_bytes);
  return usage;
}

}  // namespace yoke
