// yoke/comm/head_start.h: who tells first why ranks end.
#pragma once
#include "yoke/comm/rendezvous/group.h"

namespace yoke {

/// Waits two seconds where `group` has other ranks: for a rank that is about to tell only that it
/// lost another. That one has the reason, its connections close before it has told it, and mpirun
/// ends all ranks with the first that ends.
void give_head_start(const Group& group);

}  // namespace yoke
