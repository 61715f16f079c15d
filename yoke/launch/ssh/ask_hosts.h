// yoke/launch/ssh/ask_hosts.h: the same question to several hosts at once.
#pragma once
#include <string>
#include <vector>

#include "yoke/launch/launch.h"
#include "yoke/launch/ssh/ssh.h"

namespace yoke::launch {

/// What a program on a host answered.
struct HostAnswer {
  std::string host;
  int status = 0;      ///< The program's, or ssh's own: 255.
  std::string output;  ///< Its standard output and error.
  double asked = 0;    ///< When, in seconds since 1970 by this host's clock.
  double answered = 0;
};

/// Runs this program, with its arguments for that host, on each of `hosts`, over ssh but here, and
/// in this working folder. By host.
std::vector<HostAnswer> ask_hosts(const std::vector<HostSlots>& hosts, const SshOptions& ssh,
                                  const LaunchContext& context,
                                  const std::vector<std::vector<std::string>>& arguments);

}  // namespace yoke::launch
