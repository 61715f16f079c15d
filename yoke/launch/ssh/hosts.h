// yoke/launch/ssh/hosts.h: lists of hosts, from the command line or a file.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace yoke::launch {

/// A host of a run.
struct HostSlots {
  std::string name;   ///< What ssh is given: a name, an address, user@host.
  int processes = 0;  ///< 0: as --nproc-per-node says.
};

/// Reads `a,b:2`. @throws UsageError on an empty name, a bad number, a host that is there twice.
std::vector<HostSlots> parse_hosts(std::string_view text);

/// Reads a file with a host per line: `host`, `host:2` or `host slots=2`; `#` begins a comment.
/// @throws UsageError that names file and line.
std::vector<HostSlots> read_hostfile(const std::filesystem::path& path);

}  // namespace yoke::launch
