// yoke/launch/agent/process_tree.h: everything that this process started, also indirectly.
#pragma once
#include <vector>

namespace yoke::launch {

/// From now on, processes whose parents have died become children of this process, so that
/// descendants() finds them.
void adopt_orphans();

/// Every process below this one; those that have ended are left out. One may be missed while others
/// start and end: reap_children() knows for certain whether there is one.
std::vector<int> descendants();

/// Reaps all children that have ended; whether any is left. Without children there is no descendant
/// once orphans are adopted.
bool reap_children();

}  // namespace yoke::launch
