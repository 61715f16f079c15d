// yoke/forecast/collectives.h: what the algorithms of an all-reduce send (Thakur, Rabenseifner and
// Gropp 2005, "Optimization of Collective Communication Operations in MPICH", section 4).
#pragma once
#include <cstdint>

#include "yoke/forecast/link.h"

namespace yoke::forecast {

/// A ring's reduce-scatter and all-gather of `bytes` over `ranks`: 2 (p - 1) messages and
/// 2 n (p - 1) / p bytes. Nothing for one rank.
Sent ring_all_reduce(std::int64_t ranks, double bytes);

/// Recursive halving and doubling (Rabenseifner's): 2 log2 p messages and 2 n (p - 1) / p bytes for
/// p a power of two; else the ranks beyond the largest one in p hand their vector to another before
/// and take the sum after, two messages and 2 n bytes more.
Sent halving_doubling_all_reduce(std::int64_t ranks, double bytes);

/// One half of ring_all_reduce(): a reduce-scatter, or an all-gather.
Sent ring_half(std::int64_t ranks, double bytes);

}  // namespace yoke::forecast
