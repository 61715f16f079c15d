// yoke/optim/ranges.h: loops over flat vectors, and over layers, on the threads of the step.
#pragma once
#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace yoke {

/// `at[i]` points to the first of `size` elements of the i-th vector.
using RangeKernel = std::function<void(float* const* at, std::int64_t size)>;

/// Calls `kernel` on disjoint ranges that together cover `vectors`, contiguous fp32 [P] on the CPU,
/// in the team that this thread leads, else on ATen's threads. Not at::parallel_for, which is
/// serial in code that is compiled without OpenMP.
void for_each_range(const std::vector<torch::Tensor>& vectors, const RangeKernel& kernel);

/// Elements [begin, end) of flat vectors.
struct ElementRange {
  std::int64_t begin = 0, end = 0;
};

/// A RangeKernel of ranges that each lie in one of some that are `marked`, or between them.
using MarkedRangeKernel = std::function<void(float* const* at, std::int64_t size, bool marked)>;

/// As above, with the ranges cut where one of `marked`, which are disjoint and rise, begins or
/// ends.
void for_each_range(const std::vector<torch::Tensor>& vectors, std::span<const ElementRange> marked,
                    const MarkedRangeKernel& kernel);

/// What of [0, size) lies outside of `marked`, which are disjoint and rise.
std::vector<ElementRange> outside(std::span<const ElementRange> marked, std::int64_t size);

/// Calls `work(i)` once for each i in [0, size), in the team that this thread leads, else in one
/// that it makes of as many threads as LibTorch has; each member takes the next i when it is free.
/// To LibTorch a call is alone on one thread, so what it computes does not depend on their number.
void for_each_item(std::size_t size, const std::function<void(std::size_t i)>& work);

}  // namespace yoke
