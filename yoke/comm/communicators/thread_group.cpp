#include "yoke/comm/communicators/thread_group.h"

#include "yoke/comm/rendezvous/identity.h"
#include "yoke/core/system/network.h"
#include "yoke/core/system/threads.h"

namespace yoke {

std::vector<Group> thread_group(int size, std::chrono::milliseconds timeout) {
  Group group{.size = size, .store = local_store(), .timeout = timeout};
  for (int rank = 0; rank < size; ++rank) {
    group.peers.push_back({.rank = rank,
                           .host = host_name(),
                           .memory = memory_id(),
                           .network = network_id(),
                           .address = "127.0.0.1",
                           .cores = cpu_budget().cores});
  }
  std::vector<Group> groups(static_cast<std::size_t>(size), group);
  for (int rank = 0; rank < size; ++rank) groups[static_cast<std::size_t>(rank)].rank = rank;
  return groups;
}

}  // namespace yoke
