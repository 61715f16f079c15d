#include "yoke/engine/compiled/kernels/add.h"

#include <algorithm>
#include <limits>

#include "yoke/core/vectorise.h"
#include "yoke/engine/compiled/kernels/lanes.h"

namespace yoke::compiled {
namespace {

template <typename T>
YOKE_INLINE void add_all(const T* a, const T* b, std::int64_t size, bool relu, T* result) {
  const Floats least = Floats{} - (relu ? 0 : std::numeric_limits<float>::infinity());
  for (std::int64_t i = 0; i < size; i += kLanes) {
    const std::int64_t count = std::min(kLanes, size - i);
    const Floats sum = load_some(a + i, count) + load_some(b + i, count);
    store_some(sum < least ? least : sum, result + i, count);
  }
}

template <typename T>
YOKE_INLINE void mask_all(const T* gradient, const T* activated, std::int64_t size, float slope,
                          T* result) {
  for (std::int64_t i = 0; i < size; i += kLanes) {
    const std::int64_t count = std::min(kLanes, size - i);
    const Floats g = load_some(gradient + i, count);
    store_some(load_some(activated + i, count) > 0 ? g : g * slope, result + i, count);
  }
}

YOKE_VECTORISE void add_floats(const float* a, const float* b, std::int64_t size, bool relu,
                               float* result) {
  add_all(a, b, size, relu, result);
}
YOKE_VECTORISE void add_bf16(const BFloat16* a, const BFloat16* b, std::int64_t size, bool relu,
                             BFloat16* result) {
  add_all(a, b, size, relu, result);
}
YOKE_VECTORISE void mask_floats(const float* gradient, const float* activated, std::int64_t size,
                                float slope, float* result) {
  mask_all(gradient, activated, size, slope, result);
}
YOKE_VECTORISE void mask_bf16(const BFloat16* gradient, const BFloat16* activated,
                              std::int64_t size, float slope, BFloat16* result) {
  mask_all(gradient, activated, size, slope, result);
}

}  // namespace

void add_to(const float* values, std::int64_t count, float* sum) {
  add_floats(sum, values, count, false, sum);
}

void add_tensors(const Tensor& a, const Tensor& b, bool relu, const Tensor& result) {
  if (a.is_bf16()) {
    add_bf16(a.data<BFloat16>(), b.data<BFloat16>(), a.elements(), relu, result.data<BFloat16>());
  } else {
    add_floats(a.data<float>(), b.data<float>(), a.elements(), relu, result.data<float>());
  }
}

void relu_backward(const Tensor& gradient, const Tensor& activated, float slope,
                   const Tensor& result) {
  if (gradient.is_bf16()) {
    mask_bf16(gradient.data<BFloat16>(), activated.data<BFloat16>(), gradient.elements(), slope,
              result.data<BFloat16>());
  } else {
    mask_floats(gradient.data<float>(), activated.data<float>(), gradient.elements(), slope,
                result.data<float>());
  }
}

}  // namespace yoke::compiled
