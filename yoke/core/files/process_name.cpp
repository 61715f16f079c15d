#include "yoke/core/files/process_name.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <span>
#include <system_error>

#include "yoke/core/files/checksum.h"
#include "yoke/core/files/file.h"
#include "yoke/core/parse_number.h"
#include "yoke/core/system/process_status.h"

namespace yoke {
namespace {

std::string host_digest() {
  std::error_code ignored;
  const auto space = std::filesystem::read_symlink("/proc/self/ns/pid", ignored);
  const std::string host = boot_id() + space.string();
  constexpr std::size_t kDigits = 16;
  return checksum("sha256", std::as_bytes(std::span(host))).substr(0, kDigits);
}

}  // namespace

std::string boot_id() { return read_file("/proc/sys/kernel/random/boot_id").substr(0, 36); }

std::string process_name() { return fmt::format("{}-{}", host_digest(), ::getpid()); }

bool is_gone(std::string_view name) {
  const std::string host = host_digest() + "-";
  if (!name.starts_with(host)) return false;
  const auto process = parse_number<pid_t>(name.substr(host.size()), 1);
  if (!process) return false;
  const auto status = process_status(*process);
  return status ? status->ended : ::kill(*process, 0) != 0 && errno == ESRCH;
}

}  // namespace yoke
