#include "yoke/report/machine/resource_counters.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <array>

#include "yoke/core/parse_number.h"

namespace yoke {
namespace {

/// Takes the next whole number from `text`; what is no digit before it is skipped.
std::optional<std::int64_t> next_number(std::string_view& text) {
  const auto begin = text.find_first_of("0123456789");
  if (begin == std::string_view::npos) return {};
  text.remove_prefix(begin);
  const auto number = take_number<std::uint64_t>(text);
  if (!number) return {};
  return static_cast<std::int64_t>(*number);
}

std::optional<std::int64_t> field(std::string_view text, std::string_view key) {
  const auto at = text.find(key);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + key.size());
  return next_number(text);
}

using Buffer = std::array<char, 16 << 10>;

std::string_view read_again(int fd, Buffer& buffer) {
  const ssize_t size = fd < 0 ? 0 : ::pread(fd, buffer.data(), buffer.size(), 0);
  return {buffer.data(), static_cast<std::size_t>(size > 0 ? size : 0)};
}

}  // namespace

void parse_memory(std::string_view statm, std::int64_t page_bytes, ResourceReading& reading) {
  next_number(statm);  // the address space
  if (const auto pages = next_number(statm)) reading.rss_bytes = *pages * page_bytes;
}

void parse_disk(std::string_view io, ResourceReading& reading) {
  reading.disk_read_bytes = field(io, "\nread_bytes:");
  reading.disk_write_bytes = field(io, "\nwrite_bytes:");
}

void parse_network(std::string_view dev, ResourceReading& reading) {
  // After two lines of titles, `name: received bytes, 7 more, sent bytes, ...`.
  for (auto colon = dev.find(':'); colon != std::string_view::npos; colon = dev.find(':')) {
    dev.remove_prefix(colon + 1);
    std::string_view line = dev.substr(0, dev.find('\n'));
    const auto received = next_number(line);
    for (int i = 0; i < 7; ++i) next_number(line);
    const auto sent = next_number(line);
    if (!received || !sent) return;
    reading.network_receive_bytes = reading.network_receive_bytes.value_or(0) + *received;
    reading.network_send_bytes = reading.network_send_bytes.value_or(0) + *sent;
  }
}

ResourceCounters::ResourceCounters()
    : memory_(::open("/proc/self/statm", O_RDONLY | O_CLOEXEC)),
      disk_(::open("/proc/self/io", O_RDONLY | O_CLOEXEC)),
      network_(::open("/proc/self/net/dev", O_RDONLY | O_CLOEXEC)) {}

ResourceCounters::~ResourceCounters() {
  for (const int fd : {memory_, disk_, network_}) {
    if (fd >= 0) ::close(fd);
  }
}

ResourceReading ResourceCounters::read() const {
  ResourceReading reading;
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  reading.cpu_seconds = static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  Buffer buffer;
  parse_memory(read_again(memory_, buffer), ::sysconf(_SC_PAGESIZE), reading);
  parse_disk(read_again(disk_, buffer), reading);
  parse_network(read_again(network_, buffer), reading);
  return reading;
}

}  // namespace yoke
