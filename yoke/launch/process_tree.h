// yoke/launch/process_tree.h: everything that this process started, also indirectly.
#pragma once
#include <set>
#include <vector>

namespace yoke::launch {

/// From now on, processes whose parents have died become children of this process, so that
/// descendants() finds them.
void adopt_orphans();

/// Every process below this one; those that have ended are left out.
std::vector<int> descendants();

/// Reaps adopted children that have ended; leaves alone those in `own`, which have an owner.
void reap_orphans(const std::set<int>& own);

}  // namespace yoke::launch
