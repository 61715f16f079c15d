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

/// Calls `work(i)` once for each i in [0, size), in the team that this thread leads, each member
/// taking the next i when it is free; without a team one after the other.
void for_each_item(std::size_t size, const std::function<void(std::size_t i)>& work);

}  // namespace yoke
