// apps/yoke/doctor_hosts.h: whether several hosts can train together.
#pragma once
#include <string>
#include <vector>

#include "yoke/launch/ssh/ask_hosts.h"
#include "yoke/report/machine/machine_checks.h"

namespace yoke {

/// The flag by which `yoke doctor` on another host is asked to connect back here.
inline constexpr const char* kReachFlag = "reach";

/// The keys of what `yoke doctor --json` prints that it reads again; `yoke` stands in `versions`.
namespace doctor_key {
inline constexpr const char* kChecks = "checks";
inline constexpr const char* kTime = "time";
inline constexpr const char* kYoke = "yoke";
}  // namespace doctor_key

/// Of one host, which answered the last line of `yoke doctor --json`; `first` is what the first
/// host answered, with which it must agree.
std::vector<Check> check_answer(const launch::HostAnswer& answer, const launch::HostAnswer& first);

/// Runs `yoke doctor` on each host over ssh. @throws UsageError where `list` is no list of hosts.
std::vector<Check> check_hosts(const std::string& list, const launch::SshOptions& ssh);

/// Whether a connection to `endpoint`, HOST:PORT, opens within ten seconds.
Check check_way(const std::string& endpoint);

}  // namespace yoke
