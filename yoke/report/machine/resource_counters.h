// yoke/report/machine/resource_counters.h: the kernel's counters of a process, read cheaply again
// and again.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace yoke {

/// One reading; nothing where the system does not tell.
struct ResourceReading {
  double cpu_seconds = 0;  ///< Of all threads, since the process began.
  std::optional<std::int64_t> rss_bytes;
  std::optional<std::int64_t> disk_read_bytes;  ///< Of this process, from the device.
  std::optional<std::int64_t> disk_write_bytes;
  std::optional<std::int64_t> network_receive_bytes;  ///< Of the host, over all interfaces.
  std::optional<std::int64_t> network_send_bytes;
};

/// Keeps the files of /proc open between readings.
class ResourceCounters {
 public:
  ResourceCounters();
  ~ResourceCounters();
  ResourceCounters(const ResourceCounters&) = delete;
  ResourceCounters& operator=(const ResourceCounters&) = delete;

  ResourceReading read() const;

 private:
  int memory_ = -1;   ///< /proc/self/statm
  int disk_ = -1;     ///< /proc/self/io
  int network_ = -1;  ///< /proc/self/net/dev
};

/// Fills in memory from the text of /proc/self/statm; pages are of `page_bytes`.
void parse_memory(std::string_view statm, std::int64_t page_bytes, ResourceReading& reading);
/// Fills in the disk's counters from the text of /proc/self/io.
void parse_disk(std::string_view io, ResourceReading& reading);
/// Fills in the network's counters from the text of /proc/self/net/dev: the sum over interfaces, lo
/// among them, which ranks of one host use.
void parse_network(std::string_view dev, ResourceReading& reading);

}  // namespace yoke
