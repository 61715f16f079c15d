// yoke/engine/compiled/kernels/add.h: sums, and the ReLU after them.
#pragma once
#include <cstdint>

#include "yoke/engine/compiled/memory/tensor.h"

namespace yoke::compiled {

/// sum += values.
void add_to(const float* values, std::int64_t count, float* sum);

/// result = a + b, or its ReLU; all of equal shape, block and type. `result` may be `a` or `b`.
void add_tensors(const Tensor& a, const Tensor& b, bool relu, const Tensor& result);

/// result = gradient where `activated`, the result of a ReLU, is above 0, else `slope` * gradient.
/// `result` may be `gradient`.
void relu_backward(const Tensor& gradient, const Tensor& activated, float slope,
                   const Tensor& result);

}  // namespace yoke::compiled
