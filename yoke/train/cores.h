// yoke/train/cores.h: how the ranks of a host share its cores.
#pragma once
#include <cstdint>
#include <string>

#include "yoke/comm/rendezvous/group.h"
#include "yoke/core/system/threads.h"

namespace yoke {

/// What a rank has of its host.
struct CoreShare {
  int threads = 1;
  std::vector<int> cores;  ///< To run on, ascending; all that the process may use where it shares.
  std::string text;        ///< For people: `1 thread on core 1 (rank 1 of 2 on this host)`.
};

/// Shares the cores of `budget` out among the ranks of this host that may use the same ones: whole
/// cores, no two ranks the same one, where there are enough; else all share all. `threads` is what
/// each rank wants, 0 its part of the cores.
CoreShare share_cores(const Group& group, const CpuBudget& budget, std::int64_t threads);

}  // namespace yoke
