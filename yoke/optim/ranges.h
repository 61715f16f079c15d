// yoke/optim/ranges.h: loops over flat vectors, and over layers, on the threads of the step.
#pragma once
#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace yoke {

/// `at[i]` points to the first of `size` elements of the i-th vector.
using RangeKernel = std::function<void(float* const* at, std::int64_t size)>;

/// Calls `kernel` on disjoint ranges that together cover `vectors`, contiguous fp32 [P] on the CPU,
/// in the team that this thread leads, else on ATen's threads. Not at::parallel_for, which is
/// serial in code that is compiled without OpenMP.
void for_each_range(const std::vector<torch::Tensor>& vectors, const RangeKernel& kernel);

/// Calls `work(i)` once for each i in [0, size), in the team that this thread leads, else in one
/// that it makes of as many threads as LibTorch has; each member takes the next i when it is free.
/// To LibTorch a call is alone on one thread, so what it computes does not depend on their number.
void for_each_item(std::size_t size, const std::function<void(std::size_t i)>& work);

}  // namespace yoke
