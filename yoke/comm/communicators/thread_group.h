// yoke/comm/communicators/thread_group.h: ranks that are threads of one process.
#pragma once
#include <chrono>
#include <vector>

#include "yoke/comm/rendezvous/group.h"

namespace yoke {

/// The same group of `size` ranks as each of them sees it, by rank. `timeout` is how long an
/// operation may wait for another rank.
std::vector<Group> thread_group(int size, std::chrono::milliseconds timeout);

}  // namespace yoke
