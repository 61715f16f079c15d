#include "yoke/engine/compiled/kernels/depthwise.h"

#include <algorithm>

#include "yoke/core/vectorise.h"
#include "yoke/engine/compiled/kernels/lanes.h"
#include "yoke/engine/compiled/kernels/windows.h"

namespace yoke::compiled {
namespace {

/// Adds to `sum` the products of `count` channels of `windows` pairs, `a_step` and `b_step` apart.
template <typename T>
YOKE_INLINE void add_products(const T* a, std::int64_t a_step, const T* b, std::int64_t b_step,
                              std::int64_t windows, std::int64_t count, Floats& sum) {
  Floats sums[4] = {};  // whose additions need not wait for one another
  std::int64_t i = 0;
  for (; i + 4 <= windows; i += 4) {
    for (std::int64_t j = 0; j < 4; ++j) {
      sums[j] += load_some(a + (i + j) * a_step, count) * load_some(b + (i + j) * b_step, count);
    }
  }
  for (; i < windows; ++i) {
    sums[0] += load_some(a + i * a_step, count) * load_some(b + i * b_step, count);
  }
  sum += sums[0] + sums[1] + (sums[2] + sums[3]);
}

/// Some channels of a block: where they begin in a batch.
template <typename T>
struct Lanes {
  const T *input, *gradient;
  std::int64_t input_image, gradient_image;  ///< Elements of an image.
  std::int64_t images, block, count;
};

template <typename T>
YOKE_INLINE Floats tap_sum(const Lanes<T>& lanes, const PatchGeometry& g, std::int64_t tap_y,
                           std::int64_t tap_x) {
  const std::int64_t down = tap_y * g.dilation_y - g.pad_y, right = tap_x * g.dilation_x - g.pad_x;
  const Inside rows = find_inside(g.out_height, g.stride_y, down, g.image.height);
  const Inside columns = find_inside(g.out_width, g.stride_x, right, g.image.width);
  Floats sum{};
  for (std::int64_t n = 0; n < lanes.images; ++n) {
    for (std::int64_t y = rows.begin; y < rows.end; ++y) {
      const std::int64_t pixel =
          (y * g.stride_y + down) * g.image.width + columns.begin * g.stride_x + right;
      const std::int64_t window = y * g.out_width + columns.begin;
      add_products(lanes.input + n * lanes.input_image + pixel * lanes.block,
                   g.stride_x * lanes.block,
                   lanes.gradient + n * lanes.gradient_image + window * lanes.block, lanes.block,
                   columns.end - columns.begin, lanes.count, sum);
    }
  }
  return sum;
}

template <typename T>
YOKE_INLINE Floats gradient_sum(const Lanes<T>& lanes, std::int64_t windows) {
  Floats sum{};
  for (std::int64_t n = 0; n < lanes.images; ++n) {
    for (std::int64_t i = 0; i < windows; ++i) {
      sum += load_some(lanes.gradient + n * lanes.gradient_image + i * lanes.block, lanes.count);
    }
  }
  return sum;
}

/// What a tensor's layout says, without what it points to.
struct Blocks {
  std::int64_t images, channels, block, input_image, gradient_image;
};

template <typename T>
YOKE_INLINE void sum_all_taps(const T* input, const T* gradient, const Blocks& blocks,
                              const PatchGeometry& g, float* weights, float* bias) {
  const std::int64_t taps = g.kernel_height * g.kernel_width;
  for (std::int64_t c = 0; c < blocks.channels;) {
    const std::int64_t in_block = c % blocks.block, base = c - in_block;
    const std::int64_t count = std::min({kLanes, blocks.block - in_block, blocks.channels - c});
    const Lanes<T> lanes{input + base * g.image.height * g.image.width + in_block,
                         gradient + base * g.windows() + in_block,
                         blocks.input_image,
                         blocks.gradient_image,
                         blocks.images,
                         blocks.block,
                         count};
    for (std::int64_t tap = 0; tap < taps; ++tap) {
      const Floats sum = tap_sum(lanes, g, tap / g.kernel_width, tap % g.kernel_width);
      for (std::int64_t i = 0; i < count; ++i) weights[(c + i) * taps + tap] = sum[i];
    }
    if (bias != nullptr) store_some(gradient_sum(lanes, g.windows()), bias + c, count);
    c += count;
  }
}

YOKE_VECTORISE void sum_floats(const float* input, const float* gradient, const Blocks& blocks,
                               const PatchGeometry& g, float* weights, float* bias) {
  sum_all_taps(input, gradient, blocks, g, weights, bias);
}
YOKE_VECTORISE void sum_bf16(const BFloat16* input, const BFloat16* gradient, const Blocks& blocks,
                             const PatchGeometry& g, float* weights, float* bias) {
  sum_all_taps(input, gradient, blocks, g, weights, bias);
}

}  // namespace

void depthwise_weight_gradient(const Tensor& input, const Tensor& gradient,
                               const PatchGeometry& geometry, float* weights, float* bias) {
  const Blocks blocks{input.batch, input.shape.channels, input.block(),
                      input.elements() / input.batch, gradient.elements() / gradient.batch};
  if (input.is_bf16()) {
    sum_bf16(input.data<BFloat16>(), gradient.data<BFloat16>(), blocks, geometry, weights, bias);
  } else {
    sum_floats(input.data<float>(), gradient.data<float>(), blocks, geometry, weights, bias);
  }
}

}  // namespace yoke::compiled
