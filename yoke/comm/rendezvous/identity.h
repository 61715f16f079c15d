// yoke/comm/rendezvous/identity.h: what this process shares with others on its host.
#pragma once
#include <string>

namespace yoke {

/// Equal for processes that share /dev/shm: one kernel, one mount.
std::string memory_id();
/// Equal for processes that share a loopback interface.
std::string network_id();

}  // namespace yoke
