#include "yoke/engine/compiled/kernels/dropout.h"

#include <algorithm>
#include <cmath>

#include "yoke/core/vectorise.h"
#include "yoke/engine/compiled/kernels/lanes.h"

namespace yoke::compiled {
namespace {

using Wide = std::uint64_t __attribute__((vector_size(kLanes * sizeof(std::uint64_t))));

/// Both halves of lane-wise products.
YOKE_INLINE void multiply(UnsignedWords a, std::uint32_t b, UnsignedWords& high,
                          UnsignedWords& low) {
  const Wide product = __builtin_convertvector(a, Wide) * std::uint64_t{b};
  high = __builtin_convertvector(product >> 32, UnsignedWords);
  low = __builtin_convertvector(product, UnsignedWords);
}

/// Sixteen counters, and then their random numbers.
struct Counters {
  UnsignedWords a, b, c, d;
};

/// Philox4x32-10.
YOKE_INLINE void philox(Counters& words, std::uint64_t key) {
  auto key0 = static_cast<std::uint32_t>(key), key1 = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    UnsignedWords high0, low0, high1, low1;
    multiply(words.a, 0xD2511F53U, high0, low0);
    multiply(words.c, 0xCD9E8D57U, high1, low1);
    words = {high1 ^ words.b ^ key0, low1, high0 ^ words.d ^ key1, low0};
    key0 += 0x9E3779B9U;
    key1 += 0xBB67AE85U;
  }
}

/// 1 or 0.
YOKE_INLINE UnsignedWords is_kept(UnsignedWords random, std::uint32_t threshold) {
  return random >= threshold ? UnsignedWords{} + 1U : UnsignedWords{};
}

/// Which of four pixels each of sixteen channels keeps, one after the other.
YOKE_INLINE void store_kept(const Counters& random, std::uint32_t threshold, std::int64_t pixels,
                            std::int64_t step, std::int64_t count, std::uint8_t* keep) {
  const UnsignedWords words[4] = {random.a, random.b, random.c, random.d};
  for (std::int64_t pixel = 0; pixel < pixels; ++pixel) {
    store_some_bytes((Words)is_kept(words[pixel], threshold), keep + pixel * step, count);
  }
}

/// What all draws of an image share.
struct Draw {
  std::uint64_t stream;
  std::uint32_t layer, image, threshold;

  YOKE_INLINE Counters counters(UnsignedWords first) const {
    Counters counters{first, UnsignedWords{} + image, UnsignedWords{} + layer, UnsignedWords{}};
    philox(counters, stream);
    return counters;
  }
};

YOKE_INLINE UnsignedWords lane_numbers() {
  return UnsignedWords{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
}

/// Lanes are channels.
YOKE_VECTORISE void draw_blocks(const Draw& draw, const ImageLayout& layout, std::uint8_t* keep) {
  const auto groups = static_cast<std::uint32_t>((layout.area + 3) / 4);
  for (std::int64_t first = 0; first < layout.channels; first += layout.block) {
    for (std::int64_t c = 0; c < layout.block; c += kLanes) {
      const std::int64_t count = std::min(kLanes, layout.block - c);
      const UnsignedWords channels = lane_numbers() + static_cast<std::uint32_t>(first + c);
      for (std::uint32_t group = 0; group < groups; ++group) {
        const Counters random = draw.counters(channels * groups + group);
        const std::int64_t pixel = 4 * std::int64_t{group};
        store_kept(random, draw.threshold, std::min<std::int64_t>(4, layout.area - pixel),
                   layout.block, count, keep + (first * layout.area) + pixel * layout.block + c);
      }
    }
  }
}

/// Lanes are groups of four pixels of a channel.
YOKE_VECTORISE void draw_planes(const Draw& draw, const ImageLayout& layout, std::uint8_t* keep) {
  const std::int64_t groups = (layout.area + 3) / 4;
  for (std::int64_t c = 0; c < layout.channels; ++c, keep += layout.area) {
    for (std::int64_t group = 0; group < groups; group += kLanes) {
      const Counters random =
          draw.counters(lane_numbers() + static_cast<std::uint32_t>(c * groups + group));
      // One 32-bit lane holds the four bytes of its four pixels.
      const UnsignedWords bytes =
          is_kept(random.a, draw.threshold) | is_kept(random.b, draw.threshold) << 8 |
          is_kept(random.c, draw.threshold) << 16 | is_kept(random.d, draw.threshold) << 24;
      std::memcpy(keep + 4 * group, &bytes,
                  static_cast<std::size_t>(std::min(4 * kLanes, layout.area - 4 * group)));
    }
  }
}

template <typename T>
YOKE_INLINE void apply_all(const T* input, const std::uint8_t* keep, std::int64_t size, float scale,
                           T* result) {
  for (std::int64_t i = 0; i < size; i += kLanes) {
    const std::int64_t count = std::min(kLanes, size - i);
    const Floats factor = __builtin_convertvector(load_some_bytes(keep + i, count), Floats);
    store_some(load_some(input + i, count) * factor * scale, result + i, count);
  }
}

YOKE_VECTORISE void apply_floats(const float* input, const std::uint8_t* keep, std::int64_t size,
                                 float scale, float* result) {
  apply_all(input, keep, size, scale, result);
}
YOKE_VECTORISE void apply_bf16(const BFloat16* input, const std::uint8_t* keep, std::int64_t size,
                               float scale, BFloat16* result) {
  apply_all(input, keep, size, scale, result);
}

}  // namespace

void draw_kept(const DropoutKey& key, double probability, const ImageLayout& layout,
               std::uint8_t* keep) {
  const double threshold = std::min(std::ldexp(probability, 32), 4294967295.0);
  const Draw draw{key.stream, key.layer, key.image, static_cast<std::uint32_t>(threshold)};
  (layout.block == 1 ? draw_planes : draw_blocks)(draw, layout, keep);
}

void apply_dropout(const Tensor& input, const std::uint8_t* keep, float scale,
                   const Tensor& result) {
  if (input.is_bf16()) {
    apply_bf16(input.data<BFloat16>(), keep, input.elements(), scale, result.data<BFloat16>());
  } else {
    apply_floats(input.data<float>(), keep, input.elements(), scale, result.data<float>());
  }
}

}  // namespace yoke::compiled
