// yoke/forecast/collectives.h: what the algorithms of an all-reduce send (Thakur, Rabenseifner and
// Gropp 2005, "Optimization of Collective Communication Operations in MPICH", section 4).
#pragma once
#include <cstdint>

#include "yoke/forecast/link.h"

namespace yoke::forecast {

/// A ring's reduce-scatter and all-gather of `bytes` over `ranks`: 2 (p - 1) messages and
/// 2 n (p - 1) / p bytes. Nothing for one rank.
Sent ring_all_reduce(std::int64_t ranks, double bytes);

/// A binomial tree's reduction to one rank and broadcast from it, along its longest way:
/// 2 ceil(log2 p) messages of n bytes, one after the other.
Sent tree_all_reduce(std::int64_t ranks, double bytes);

/// One half of ring_all_reduce(): a reduce-scatter, or an all-gather.
Sent ring_half(std::int64_t ranks, double bytes);

}  // namespace yoke::forecast
