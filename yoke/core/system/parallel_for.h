// yoke/core/system/parallel_for.h: a loop shared out over threads.
#pragma once
#include <cstdint>
#include <functional>

namespace yoke {

/// Calls `work(begin, end)` on disjoint ranges that together cover [0, size), on as many threads as
/// LibTorch is set to use. For long loops outside the step: it starts its threads anew.
/// (at::parallel_for is serial in code that is compiled without OpenMP.) Rethrows what a range
/// threw, after all have ended.
void parallel_for(std::int64_t size,
                  const std::function<void(std::int64_t begin, std::int64_t end)>& work);

}  // namespace yoke
