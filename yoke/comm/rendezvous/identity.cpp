#include "yoke/comm/rendezvous/identity.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "yoke/core/files/process_name.h"

namespace yoke {

// A mount of /dev/shm has a device number of its own, in each container too.
std::string memory_id() {
  struct stat status {};
  const bool there = ::stat("/dev/shm", &status) == 0;
  return fmt::format("{}:{}", boot_id(), there ? static_cast<long>(status.st_dev) : ::getpid());
}

std::string network_id() {
  std::error_code error;
  const auto space = std::filesystem::read_symlink("/proc/self/ns/net", error);
  return fmt::format("{}:{}", boot_id(), space.string());
}

}  // namespace yoke
