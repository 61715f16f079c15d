#include "yoke/engine/compiled/kernels/combine.h"

#include <algorithm>

#include "yoke/core/vectorise.h"
#include "yoke/engine/compiled/kernels/lanes.h"

namespace yoke::compiled {
namespace {

/// How to walk through [N * blocks][area][block]; `b_step` is 0 where b has one pixel.
struct Walk {
  std::int64_t planes, area, block, b_area;
};

template <typename T>
YOKE_INLINE void combine_all(const T* a, const T* b, const Walk& walk, bool multiply, T* result) {
  for (std::int64_t plane = 0; plane < walk.planes; ++plane, b += walk.b_area * walk.block) {
    for (std::int64_t pixel = 0; pixel < walk.area; ++pixel) {
      const T* const own_b = b + (walk.b_area == 1 ? 0 : pixel * walk.block);
      for (std::int64_t c = 0; c < walk.block; c += kLanes) {
        const std::int64_t count = std::min(kLanes, walk.block - c);
        const Floats x = load_some(a + c, count), y = load_some(own_b + c, count);
        store_some(multiply ? x * y : x + y, result + c, count);
      }
      a += walk.block;
      result += walk.block;
    }
  }
}

template <typename T>
YOKE_INLINE void sum_all(const T* a, const T* b, const Walk& walk, T* result) {
  const std::int64_t plane_size = walk.area * walk.block;
  for (std::int64_t plane = 0; plane < walk.planes; ++plane) {
    for (std::int64_t c = 0; c < walk.block; c += kLanes) {
      const std::int64_t count = std::min(kLanes, walk.block - c);
      Floats sum{};
      for (std::int64_t pixel = 0; pixel < walk.area; ++pixel) {
        const std::int64_t at = plane * plane_size + pixel * walk.block + c;
        const Floats x = load_some(a + at, count);
        sum += b == nullptr ? x : x * load_some(b + at, count);
      }
      store_some(sum, result + plane * walk.block + c, count);
    }
  }
}

YOKE_VECTORISE void combine_floats(const float* a, const float* b, const Walk& walk, bool multiply,
                                   float* result) {
  combine_all(a, b, walk, multiply, result);
}
YOKE_VECTORISE void combine_bf16(const BFloat16* a, const BFloat16* b, const Walk& walk,
                                 bool multiply, BFloat16* result) {
  combine_all(a, b, walk, multiply, result);
}
YOKE_VECTORISE void sum_floats(const float* a, const float* b, const Walk& walk, float* result) {
  sum_all(a, b, walk, result);
}
YOKE_VECTORISE void sum_bf16(const BFloat16* a, const BFloat16* b, const Walk& walk,
                             BFloat16* result) {
  sum_all(a, b, walk, result);
}

}  // namespace

void combine(const Tensor& a, const Tensor& b, bool multiply, const Tensor& result) {
  const Walk walk{a.batch * a.blocks(), a.area(), a.block(), b.area()};
  if (a.is_bf16()) {
    combine_bf16(a.data<BFloat16>(), b.data<BFloat16>(), walk, multiply, result.data<BFloat16>());
  } else {
    combine_floats(a.data<float>(), b.data<float>(), walk, multiply, result.data<float>());
  }
}

void sum_over_pixels(const Tensor& a, const Tensor* b, const Tensor& result) {
  const Walk walk{a.batch * a.blocks(), a.area(), a.block(), a.area()};
  if (a.is_bf16()) {
    sum_bf16(a.data<BFloat16>(), b == nullptr ? nullptr : b->data<BFloat16>(), walk,
             result.data<BFloat16>());
  } else {
    sum_floats(a.data<float>(), b == nullptr ? nullptr : b->data<float>(), walk,
               result.data<float>());
  }
}

}  // namespace yoke::compiled
