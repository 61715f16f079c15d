// yoke/engine/compiled/kernels/combine.h: sum or product with one number per channel and image.
#pragma once
#include <cstdint>

#include "yoke/engine/compiled/memory/tensor.h"

namespace yoke::compiled {

/// result = a * b, or a + b. Shapes: `a` [N, C, H, W]; `b` equal or [N, C, 1, 1]; all of equal
/// block and type. `result` may be `a`.
void combine(const Tensor& a, const Tensor& b, bool multiply, const Tensor& result);

/// result [N, C, 1, 1] = the sum over pixels of `a`, times `b` where it is not null.
void sum_over_pixels(const Tensor& a, const Tensor* b, const Tensor& result);

}  // namespace yoke::compiled
